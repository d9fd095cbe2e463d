import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(4, 1), torch.randn(8, 4)
class Meter:
    total = 0.0
meter = Meter()

def step():
    loss = net(x).pow(2).mean()
    meter.total = meter.total + loss  # <--
    return loss

EXPECT = dict(kind='growth', cut_line=None, no_grad=[], raises=None, growth='meter.total', calls=4)
