import torch
from torch import nn
torch.manual_seed(0)
where, much, code, goal = nn.Linear(5, 1), nn.Linear(5, 1), torch.randn(6, 5), torch.rand(6, 8)

def step():
    pos = where(code).sigmoid() * 7
    cell = pos.floor().long()
    hist = torch.zeros(6, 8).scatter_add(1, cell, much(code))
    return (hist - goal).pow(2).mean()

EXPECT = dict(kind='integer', cut_line=8, no_grad=['where.weight', 'where.bias'], raises=None,
              fix=(9, 'hist = torch.zeros(6, 8).scatter_add(1, cell, much(code) * (1 - (pos - cell)))'))
