import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
nets = {'enc': nn.Linear(3, 4), 'head': nn.Linear(4, 1)}
opt = torch.optim.SGD([*nets['enc'].parameters(), *nets['head'].parameters()], 0.1)

def step():
    return F.mse_loss(nets['head'](nets['enc'](x).detach()), y)

EXPECT = dict(kind='detach', cut_line=10, no_grad=["nets['enc'].weight", "nets['enc'].bias"], raises=None)
