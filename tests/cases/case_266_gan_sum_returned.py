import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
g, d = nn.Linear(2, 3), nn.Linear(3, 1)
og, od = torch.optim.SGD(g.parameters(), 0.1), torch.optim.SGD(d.parameters(), 0.1)

def step():
    z = torch.randn(8, 2)
    od.zero_grad()
    dl = F.softplus(-d(x)).mean() + F.softplus(d(g(z).detach())).mean()
    dl.backward()
    od.step()
    og.zero_grad()
    gl = F.softplus(-d(g(z))).mean()
    gl.backward()
    og.step()
    return dl + gl

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True, calls=2)
