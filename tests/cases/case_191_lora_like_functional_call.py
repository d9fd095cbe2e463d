import torch
from torch import nn
torch.manual_seed(0)
from torch.func import functional_call
net, hyper, x = nn.Linear(3, 2), nn.Linear(1, 8), torch.randn(4, 3)

def step():
    p = hyper(torch.ones(1, 1)).flatten()
    return functional_call(net, {'weight': p[:6].view(2, 3), 'bias': p[6:]}, (x,)).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=['net.weight', 'net.bias'], raises=None, ok=True)
