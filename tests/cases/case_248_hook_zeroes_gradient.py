import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
a, b = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], 0.1)
x = torch.randn(6, 4)

def step():
    h = a(x)
    h.register_hook(lambda g: torch.zeros_like(g))  # <--
    return b(torch.relu(h)).pow(2).mean()

EXPECT = dict(kind='zero_op', cut_line=None, no_grad=[], raises=None, zero=['a.weight', 'a.bias'])
