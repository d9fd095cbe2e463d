import torch
from torch import nn
torch.manual_seed(0)
base, lin = nn.Parameter(torch.randn(2, 3)), nn.Linear(3, 2)
x = torch.randn(8, 3)

def step():
    w = base.tanh()
    lin.weight = nn.Parameter(w)
    return lin(x).pow(2).mean()

EXPECT = dict(kind='detach', cut_line=9, no_grad=['base'], raises=None)
