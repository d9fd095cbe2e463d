import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(6, 4), torch.randint(0, 2, (6,))

def step():
    acc = (net(x).argmax(1) == y).float().mean()
    return (1 - acc).requires_grad_()

EXPECT = dict(kind='integer', cut_line=10, no_grad=['net.weight', 'net.bias'], raises=None)
