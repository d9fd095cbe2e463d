import torch
from torch import nn
torch.manual_seed(0)
net, real = nn.Sequential(nn.Linear(3, 4), nn.Softplus(), nn.Linear(4, 1)), torch.randn(5, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    x = real.clone()
    score = net(x).mean()
    x.requires_grad_()
    (slope,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
    return -score + slope.pow(2).sum(1).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
