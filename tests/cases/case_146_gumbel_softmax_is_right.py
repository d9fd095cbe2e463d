import torch
from torch import nn
torch.manual_seed(0)
enc, dec, x = nn.Linear(3, 4), nn.Linear(4, 3), torch.randn(8, 3)

def step():
    return (dec(nn.functional.gumbel_softmax(enc(x), hard=True)) - x).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
