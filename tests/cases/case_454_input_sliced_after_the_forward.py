import torch
from torch import nn
torch.manual_seed(0)
net, xt = nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 1)), torch.rand(8, 2, requires_grad=True)

def step():
    u = net(xt)
    t = xt[:, 1:]
    u_t, = torch.autograd.grad(u.sum(), t, create_graph=True)
    return (u_t + u).pow(2).mean()

EXPECT = dict(kind='not_in_graph', cut_line=None, no_grad=['net.0.weight'], raises=('RuntimeError', 'not have been used in the graph'),
              raises_in='step', raise_line=9, fix=(9, 'u_t = torch.autograd.grad(u.sum(), xt, create_graph=True)[0][:, 1:]'),
              still_none=[])
