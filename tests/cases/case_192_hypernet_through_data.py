import torch
from torch import nn
torch.manual_seed(0)
net, hyper, x = nn.Linear(3, 2), nn.Linear(1, 8), torch.randn(4, 3)

def step():
    p = hyper(torch.ones(1, 1)).flatten()
    net.weight.data = p[:6].view(2, 3)
    return net(x).pow(2).mean()

EXPECT = dict(kind='data', cut_line=8, no_grad=['hyper.weight', 'hyper.bias'], raises=None)
