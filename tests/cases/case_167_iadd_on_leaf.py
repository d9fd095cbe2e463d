import torch
from torch import nn
torch.manual_seed(0)
w, x = torch.randn(3, requires_grad=True), torch.randn(8, 3)

def step():
    global w
    w += 1
    return (x @ w).pow(2).mean()

EXPECT = dict(kind='inplace', cut_line=None, no_grad=['w'], raises=('RuntimeError', 'leaf Variable'), raises_in='step', raise_line=8)
