import torch
from torch import nn
torch.manual_seed(0)
net, x, y = nn.Linear(3, 1), torch.randn(5, 3), torch.ones(5, 1)
nn.init.constant_(net.bias, 20.0)

def step():
    return (1 - y * net(x)).clamp(min=0).mean()

EXPECT = dict(kind='zero_op', cut_line=None, no_grad=[], raises=None, zero=['net.weight', 'net.bias'], fix=(8, 'return nn.functional.softplus(1 - y * net(x)).mean()'))
