import torch
from torch import nn
torch.manual_seed(0)
w = nn.Parameter(torch.randn(3), requires_grad=False)
x = torch.randn(8, 3)

def step():
    return (x @ w).pow(2).mean()

EXPECT = dict(kind='frozen', cut_line=4, no_grad=['w'], raises=('RuntimeError', 'does not require grad'), raises_in='backward')
