import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
import contextlib
@contextlib.contextmanager
def quiet():
    with torch.no_grad():
        yield
a, b = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], 0.1)
x = torch.randn(6, 4)

def step():
    with quiet():
        h = a(x)
    return b(h).pow(2).mean()

EXPECT = dict(kind='no_grad', cut_line=8, no_grad=['a.weight', 'a.bias'], raises=None)
