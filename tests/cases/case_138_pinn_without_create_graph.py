import torch
from torch import nn
torch.manual_seed(0)
net, t = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1)), torch.rand(8, 1, requires_grad=True)

def step():
    u = net(t)
    du, = torch.autograd.grad(u.sum(), t)
    return (du - 1).pow(2).mean()

EXPECT = dict(kind='create_graph', cut_line=8, no_grad=['net.0.weight', 'net.0.bias', 'net.2.weight', 'net.2.bias', 't'], raises=('RuntimeError', 'does not require grad'), raises_in='backward')
