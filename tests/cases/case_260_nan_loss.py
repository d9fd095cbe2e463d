import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    out = net(x)
    return torch.log(out).mean()

EXPECT = dict(kind='non_finite', cut_line=11, no_grad=[], raises=None)
