import torch
from torch import nn
torch.manual_seed(0)
enc, a, b, x = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1), torch.randn(8, 3)

def step():
    h = enc(x).tanh()  # <--
    a(h).pow(2).mean().backward()
    return b(h).pow(2).mean()

EXPECT = dict(kind='freed_graph', cut_line=None, no_grad=[], raises=('RuntimeError', 'second time'), raises_in='backward')
