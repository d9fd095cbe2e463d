import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 4), torch.randn(5, 3)
y = torch.full((5,), -100)

def step():
    return nn.functional.cross_entropy(net(x), y, reduction='sum')

EXPECT = dict(kind='zero_op', cut_line=None, no_grad=[], raises=None, zero=['net.weight', 'net.bias'],
              fix=(8, "return nn.functional.cross_entropy(net(x), y * 0, reduction='sum')"))
