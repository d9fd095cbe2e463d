import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 1), torch.randn(5, 3)

def step():
    loss = net(x).pow(2).mean()
    x.requires_grad_()
    return loss

EXPECT = dict(kind='frozen', cut_line=8, no_grad=['x'], raises=None, fix=(8, 'x.requires_grad_(); loss = net(x).pow(2).mean()'))
