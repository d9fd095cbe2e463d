import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 2, bias=False), torch.randn(8, 3)
x[0] = 0
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    square = net(x).pow(2).sum(1)
    length = square.sqrt()
    safe = torch.where(square > 0, length, torch.zeros(8))
    return (safe - 1).pow(2).mean()

EXPECT = dict(kind='non_finite', cut_line=10, no_grad=[], raises=None, wrong=['net.weight'],
              fix=(10, 'length = torch.where(square > 0, square, 1).sqrt()'))
