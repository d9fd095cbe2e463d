import torch
from torch import nn
torch.manual_seed(0)
a, b, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], 0.1)

def step():
    a(x).pow(2).mean().backward()
    opt.zero_grad()
    return b(x).pow(2).mean()

EXPECT = dict(kind='zero_grad', cut_line=9, no_grad=['a.weight', 'a.bias'], raises=None)
