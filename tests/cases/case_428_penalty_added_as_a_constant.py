import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)
def step():
    out = net(x)
    a = out.pow(2).mean()
    return a + net.weight.detach().pow(2).sum()

EXPECT = dict(kind='detach', cut_line=10, no_grad=[], wrong=['net.weight'], raises=None, fix=(10, 'return a + net.weight.pow(2).sum()'))
