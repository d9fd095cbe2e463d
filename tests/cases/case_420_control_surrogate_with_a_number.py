import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)
def step():
    s = net(x).pow(2).mean()
    return s + (s - s.item())

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
