import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
t = torch.linspace(0, 1, 20, requires_grad=True).view(-1, 1)
opt = torch.optim.Adam(net.parameters(), 0.01)

def step():
    u = net(t)
    du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    return (du + u).pow(2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
