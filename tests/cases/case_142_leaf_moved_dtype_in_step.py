import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(4, 3)
net = nn.Linear(3, 1)

def step():
    w = torch.ones(3, requires_grad=True) * 2
    loss = (net(x * w)).pow(2).mean()
    loss.backward()
    return w.grad.sum()

EXPECT = dict(kind='non_leaf', cut_line=8, no_grad=[], raises=('AttributeError', 'NoneType'), raises_in='step', raise_line=11)
