import torch
from torch import nn
torch.manual_seed(0)
net, t = nn.Linear(1, 1), torch.rand(4, 1, requires_grad=True)

def step():
    u = net(t)
    g, = torch.autograd.grad((u * 0 + 1).sum(), net.bias, create_graph=True, allow_unused=True)
    dd, = torch.autograd.grad(g.sum(), t)
    return dd.sum()

EXPECT = dict(kind='not_in_graph', cut_line=None, no_grad=['net.weight', 'net.bias', 't'], raises=('RuntimeError', 'does not require grad|not have been used'), raises_in='step', raise_line=9)
