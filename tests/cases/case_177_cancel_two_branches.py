import torch
from torch import nn
torch.manual_seed(0)
a, x = nn.Linear(3, 1), torch.randn(8, 3)
b = nn.Linear(3, 1)

def step():
    h = a(x)
    gap = (h - b(x)).mean() - h.mean()
    return gap

EXPECT = dict(kind='cancel', cut_line=9, no_grad=[], raises=None, zero=['a.weight', 'a.bias'])
