import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(4, 1), torch.randn(8, 4)
total = 0.0

def step():
    global total
    total = total + net(x).pow(2).mean()  # <--
    return total

EXPECT = dict(kind='freed_graph', cut_line=None, no_grad=[], raises=('RuntimeError', 'second time'), raises_in='backward', calls=2)
