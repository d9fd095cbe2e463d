import torch
from torch import nn
torch.manual_seed(0)
cell, head = nn.RNNCell(3, 4), nn.Linear(4, 1)
x, y = torch.randn(5, 2, 3), torch.randn(2, 1)

def step():
    h = torch.zeros(2, 4)
    for t in range(5):
        if t == 3:
            h = h.detach()
        h = cell(x[t], h)
    fit = (head(h) - y).pow(2).mean()
    return fit.item() + 0.1 * h.pow(2).mean()

EXPECT = dict(kind='item', cut_line=14, no_grad=['head.weight', 'head.bias'], raises=None, fix=(14, 'return fit + 0.1 * h.pow(2).mean()'))
