import torch
from torch import nn
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True).to(torch.float64)
x = torch.randn(8, 3, dtype=torch.float64)

def step():
    return (x @ w).pow(2).mean()

EXPECT = dict(kind='non_leaf', cut_line=4, no_grad=['w'], raises=None, watch=['w'])
