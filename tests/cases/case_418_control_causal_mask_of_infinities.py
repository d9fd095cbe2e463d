import torch
from torch import nn
torch.manual_seed(0)
qkv, x = nn.Linear(4, 12), torch.randn(2, 5, 4)
mask = torch.full((5, 5), float('-inf')).triu(1)
opt = torch.optim.SGD(qkv.parameters(), 0.1)

def step():
    q, k, v = qkv(x).chunk(3, -1)
    return ((q @ k.transpose(1, 2) + mask).softmax(-1) @ v).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
