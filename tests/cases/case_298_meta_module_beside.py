import torch
from torch import nn
skeleton = nn.Linear(4, 1, device="meta")   # e.g. for functional_call
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)

def step():
    return net(x).pow(2).mean()


EXPECT = dict(kind='none', cut_line=None, no_grad=['skeleton.weight','skeleton.bias'], raises=None, ok=True)
