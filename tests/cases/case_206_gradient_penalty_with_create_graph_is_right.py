import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.Softplus(), nn.Linear(16, 1))
gen = nn.Linear(3, 2)
opt_c = torch.optim.Adam(critic.parameters(), 1e-3)
opt_g = torch.optim.Adam(gen.parameters(), 1e-3)
real = torch.randn(8, 2)

def step():
    fake = gen(torch.randn(8, 3)).detach()
    mix = torch.lerp(fake, real, torch.rand(8, 1)).requires_grad_()
    (g,) = torch.autograd.grad(critic(mix).sum(), mix, create_graph=True)
    gp = (g.norm(2, dim=1) - 1).pow(2).mean()
    return critic(fake).mean() - critic(real).mean() + 10 * gp

EXPECT = dict(kind='none', cut_line=None, no_grad=['gen.weight', 'gen.bias'], raises=None, zero=['critic.2.bias'], ok=True)
