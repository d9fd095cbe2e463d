import torch
from torch import nn
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
x = torch.randn(8, 3)

def step():
    opt = torch.optim.SGD([w * 2], 0.1)
    return (x @ w).pow(2).mean()

EXPECT = dict(kind='non_leaf', cut_line=None, no_grad=['w'], raises=('ValueError', 'non-leaf'), raises_in='step', raise_line=8)
