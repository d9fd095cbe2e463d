import torch
from torch import nn
torch.manual_seed(0)
class Problem:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
        self.t = torch.linspace(0, 1, 20, requires_grad=True).unsqueeze(1)

one = Problem()
opt = torch.optim.Adam(one.net.parameters(), 0.01)

def step():
    u = one.net(one.t)
    (du,) = torch.autograd.grad(u, one.t, torch.ones_like(u), create_graph=True)
    return (du + u).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
