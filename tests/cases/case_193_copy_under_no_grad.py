import torch
from torch import nn
torch.manual_seed(0)
net, hyper, x = nn.Linear(3, 2), nn.Linear(1, 6), torch.randn(4, 3)

def step():
    p = hyper(torch.ones(1, 1)).view(2, 3)
    with torch.no_grad():
        net.weight.copy_(p)
    return net(x).pow(2).mean()

EXPECT = dict(kind='no_grad', cut_line=8, no_grad=['hyper.weight', 'hyper.bias'], raises=None)
