import torch
from torch import nn
torch.manual_seed(0)
enc, dec, x = nn.Linear(3, 2), nn.Linear(2, 3), torch.randn(8, 3)

def step():
    z = enc(x)
    q = z + (z.round() - z)
    return (dec(q) - x).pow(2).mean()

EXPECT = dict(kind='cancel', cut_line=8, no_grad=[], raises=None, zero=['enc.weight', 'enc.bias'])
