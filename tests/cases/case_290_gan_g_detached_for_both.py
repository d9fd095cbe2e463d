import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
D = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3)
real = torch.randn(12, 6)

def step():
    fake = G(torch.randn(12, 4)).detach()
    opt_d.zero_grad()
    d_loss = F.softplus(-D(real)).mean() + F.softplus(D(fake)).mean()
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    g_loss = F.softplus(-D(fake)).mean()
    g_loss.backward()
    opt_g.step()
    return g_loss


EXPECT = dict(kind='detach', cut_line=12, no_grad=['G.0.weight','G.0.bias','G.2.weight','G.2.bias'], raises=None, own_backward=True)
