import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 4), torch.randn(8, 3)

def step():
    h = net(x).tanh()
    h.masked_fill_(h < 0, 0.0)
    return h.sum()

EXPECT = dict(kind='inplace', cut_line=8, no_grad=['net.weight', 'net.bias'], raises=('RuntimeError', 'modified by an inplace'), raises_in='backward')
