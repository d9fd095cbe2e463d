import torch
from torch import nn
torch.manual_seed(0)
cell, head, x = nn.RNNCell(2, 3), nn.Linear(3, 1), torch.randn(4, 2)
h = torch.zeros(4, 3)

def step():
    global h
    h = cell(x, h.detach())
    return head(h).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, calls=3)
