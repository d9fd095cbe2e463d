import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 1), torch.randn(8, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)  # <--
net = nn.Linear(3, 1)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='stale_optimizer', cut_line=None, no_grad=[], raises=None)
