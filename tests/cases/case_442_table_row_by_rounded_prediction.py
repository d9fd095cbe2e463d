import torch
from torch import nn
torch.manual_seed(0)
level, enc, x = nn.Linear(3, 1), nn.Linear(3, 6), torch.randn(8, 3)

def step():
    rows = enc(x)
    at = (level(x).sigmoid() * 5).round().long()
    return (torch.take_along_dim(rows, at, 1) - 1).pow(2).mean()

EXPECT = dict(kind='integer', cut_line=8, no_grad=['level.weight', 'level.bias'], raises=None,
              fix=(9, 'return ((rows * (level(x).sigmoid() * 5 - torch.arange(6.0)).pow(2).neg().softmax(1)).sum(1) - 1).pow(2).mean()'))
