import torch
from torch import nn
torch.manual_seed(0)
net, xt = nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 1, bias=False)), torch.rand(8, 2)

def step():
    x, t = xt[:, :1], xt[:, 1:].clone().requires_grad_()
    u = net(torch.cat([x, t], 1))
    u_t, = torch.autograd.grad(u.sum(), t, create_graph=True)
    return (u_t + u).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
