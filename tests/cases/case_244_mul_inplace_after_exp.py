import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(4, 4)
opt = torch.optim.SGD(net.parameters(), 0.1)
x = torch.randn(6, 4)

def step():
    p = net(x).exp()
    z = p.sum(1, keepdim=True)
    p.mul_(2)
    return (p / z).pow(2).mean()

EXPECT = dict(kind='inplace', cut_line=12, no_grad=[], raises=('RuntimeError', 'modified by an inplace'), raises_in='backward')
