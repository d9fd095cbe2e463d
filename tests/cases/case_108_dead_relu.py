import torch
from torch import nn
torch.manual_seed(0)
enc, dec, x = nn.Linear(3, 2), nn.Linear(2, 3), torch.rand(8, 3)
with torch.no_grad():
    enc.bias.fill_(-100.0)

def step():
    h = enc(x)
    h = torch.relu(h)
    return (dec(h) - x).pow(2).mean()

EXPECT = dict(kind='zero_op', cut_line=10, no_grad=[], raises=None, zero=['enc.weight', 'enc.bias', 'dec.weight'])
