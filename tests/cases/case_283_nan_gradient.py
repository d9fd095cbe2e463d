import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(3, 1)
x = torch.randn(8, 3)

def step():
    d = net(x) - net(x)
    return (d.pow(2)).sqrt().sum()

EXPECT = dict(kind='non_finite', cut_line=10, no_grad=[], raises=None)
