import torch
from torch import nn
torch.manual_seed(0)
enc, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)
opt = torch.optim.SGD(head.parameters(), 0.1)

def step():
    with torch.no_grad():
        h = enc(x)
    return head(h).pow(2).mean()

EXPECT = dict(kind='no_grad', cut_line=8, no_grad=['enc.weight', 'enc.bias'], raises=None, ok=True)
