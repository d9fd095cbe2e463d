import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 4), torch.randn(8, 3)

def step():
    h = net(x).exp()
    out = h.sum()
    h.add_(1)
    return out + h.pow(2).sum()

EXPECT = dict(kind='inplace', cut_line=9, no_grad=['net.weight', 'net.bias'], raises=('RuntimeError', 'modified by an inplace'), raises_in='backward')
