import torch
from torch import nn
torch.manual_seed(0)
enc, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)

def step():
    out = head(enc(x)).pow(2).mean()
    enc.requires_grad_(False)
    return out

EXPECT = dict(kind='frozen', cut_line=8, no_grad=['enc.weight', 'enc.bias'], raises=None)
