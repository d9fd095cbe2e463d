import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
net[0].weight.register_hook(lambda g: g * 0)

def step():
    return F.mse_loss(net(x), y)

EXPECT = dict(kind='zero_op', cut_line=8, no_grad=[], zero=['net.0.weight'], raises=None)
