import torch
from torch import nn
torch.manual_seed(0)
score, vals, x = nn.Linear(3, 6), nn.Parameter(torch.randn(6, 2)), torch.randn(8, 3)

def step():
    top = score(x).topk(2, 1)
    return vals[top.indices].sum(1).pow(2).mean()

EXPECT = dict(kind='integer', cut_line=7, no_grad=['score.weight', 'score.bias'], raises=None)
