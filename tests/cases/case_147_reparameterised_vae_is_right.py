import torch
from torch import nn
torch.manual_seed(0)
mu, logvar, dec, x = nn.Linear(3, 2), nn.Linear(3, 2), nn.Linear(2, 3), torch.randn(8, 3)

def step():
    m, v = mu(x), logvar(x)
    z = m + torch.randn_like(m) * (0.5 * v).exp()
    return (dec(z) - x).pow(2).mean() - 0.5 * (1 + v - m.pow(2) - v.exp()).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
