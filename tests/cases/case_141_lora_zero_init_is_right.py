import torch
from torch import nn
torch.manual_seed(0)
base, a, b = nn.Linear(3, 4).requires_grad_(False), nn.Linear(3, 2, bias=False), nn.Linear(2, 4, bias=False)
nn.init.zeros_(b.weight)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], 0.1)
x, y = torch.randn(8, 3), torch.randn(8, 4)

def step():
    return (base(x) + b(a(x)) - y).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=['base.weight', 'base.bias'], raises=None, zero=['a.weight'], ok=True)
