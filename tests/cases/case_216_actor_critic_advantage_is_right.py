import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
body = nn.Linear(4, 8); pi = nn.Linear(8, 2); v = nn.Linear(8, 1)
opt = torch.optim.Adam([*body.parameters(), *pi.parameters(), *v.parameters()])
s, r = torch.randn(10, 4), torch.randn(10)

def step():
    h = torch.tanh(body(s))
    dist = torch.distributions.Categorical(logits=pi(h))
    act = dist.sample()
    value = v(h).squeeze(-1)
    adv = r - value.detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    return -(dist.log_prob(act) * adv).mean() + 0.5 * F.mse_loss(value, r) - 0.01 * dist.entropy().mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
