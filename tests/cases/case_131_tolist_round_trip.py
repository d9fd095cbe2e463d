import torch
from torch import nn
torch.manual_seed(0)
enc, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)

def step():
    h = enc(x)
    rows = h.tolist()
    return head(torch.tensor(rows)).pow(2).mean()

EXPECT = dict(kind='item', cut_line=8, no_grad=['enc.weight', 'enc.bias'], raises=None)
