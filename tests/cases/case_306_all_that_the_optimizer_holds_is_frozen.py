import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 1), torch.randn(5, 3, requires_grad=True)
opt = torch.optim.SGD(net.parameters(), 0.1)
net.requires_grad_(False)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='frozen', cut_line=5, no_grad=['net.weight', 'net.bias'], raises=None)
