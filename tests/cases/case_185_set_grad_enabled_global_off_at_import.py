import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 1), torch.randn(8, 3)
torch.set_grad_enabled(False)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='no_grad', cut_line=5, no_grad=['net.weight', 'net.bias'], raises=('RuntimeError', 'does not require grad'), raises_in='backward')
