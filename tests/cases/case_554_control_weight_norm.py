import torch
from torch import nn
torch.manual_seed(0)
from torch.nn.utils import weight_norm
net, x = nn.Sequential(weight_norm(nn.Linear(3, 4)), nn.Tanh(), nn.Linear(4, 1)), torch.randn(5, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
