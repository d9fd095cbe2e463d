import torch
from torch import nn
torch.manual_seed(0)
cell, x, states = nn.RNNCell(2, 3), torch.randn(4, 2), [torch.zeros(4, 3)]

def step():
    states.append(cell(x, states[-1].detach()))
    return states[-1].pow(2).mean()

EXPECT = dict(kind='growth', cut_line=7, no_grad=[], raises=None, growth='states', calls=4)
