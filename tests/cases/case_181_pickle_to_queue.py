import torch
from torch import nn
torch.manual_seed(0)
import torch.multiprocessing as mp
net, x = nn.Linear(3, 1), torch.randn(4, 3)

def step():
    out = net(x)
    mp.reductions.reduce_tensor(out)
    return out.pow(2).mean()

EXPECT = dict(kind='serialize', cut_line=None, no_grad=['net.weight', 'net.bias'], raises=('RuntimeError', 'serialize non-leaf'), raises_in='step', raise_line=9)
