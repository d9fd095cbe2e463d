import torch
from torch import nn
torch.manual_seed(0)
import copy
net, x = nn.Linear(4, 1), torch.randn(8, 4)

def step():
    h = net(x)
    keep = copy.deepcopy(h)
    return (h - keep).pow(2).mean()

EXPECT = dict(kind='deepcopy', cut_line=None, no_grad=['net.weight', 'net.bias'], raises=('RuntimeError', 'deepcopy protocol'), raises_in='step', raise_line=9)
