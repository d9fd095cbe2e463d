import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 1, bias=False)), torch.rand(8, 2)

def step():
    u = net(x)
    slope, = torch.autograd.grad(u.sum(), x, create_graph=True)
    return (slope - 1).pow(2).mean() + u.pow(2).mean()

EXPECT = dict(kind='not_in_graph', cut_line=None, no_grad=['net.0.weight'], raises=('RuntimeError', 'does not require grad'),
              raises_in='step', raise_line=8, fix=(7, 'x.requires_grad_(); u = net(x)'))
