import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
enc, a, b = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
opt = torch.optim.SGD([*enc.parameters(), *a.parameters(), *b.parameters()], 0.1)
x = torch.randn(6, 4)

def step():
    h = torch.sigmoid(enc(x))
    a(h).pow(2).mean().backward()
    loss = b(h).pow(2).mean()
    loss.backward()
    return loss

EXPECT = dict(kind='freed_graph', cut_line=10, no_grad=[], raises=('RuntimeError', 'backward through the graph a second time'), raises_in='step', own_backward=True)
