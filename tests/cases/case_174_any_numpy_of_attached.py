import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(4, 1), torch.randn(8, 4)
import numpy as np

def step():
    out = net(x)
    print(np.mean(np.asarray(out)))
    return out.pow(2).mean()

EXPECT = dict(kind='numpy', cut_line=None, no_grad=['net.weight', 'net.bias'], raises=('RuntimeError', 'call numpy'), raises_in='step', raise_line=9)
