import torch
from torch import nn
torch.manual_seed(0)
net, x, y = nn.Linear(3, 4), torch.randn(8, 3), torch.randint(4, (8,))
acc = 0.0

def step():
    global acc
    out = net(x)
    with torch.no_grad():
        acc = (out.argmax(1) == y).float().mean().item()
    return nn.functional.cross_entropy(out, y)

EXPECT = dict(kind='integer', cut_line=11, no_grad=[], raises=None, ok=True, calls=3)
