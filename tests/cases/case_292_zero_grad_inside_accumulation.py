import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1); opt = torch.optim.SGD(net.parameters(), lr=1e-1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
def step():
    tot = 0.
    for a, b in zip(x.chunk(4), y.chunk(4)):
        opt.zero_grad()
        l = (net(a) - b).pow(2).mean() / 4; l.backward(); tot = tot + l.detach()
    opt.step()
    return tot


EXPECT = dict(kind='zero_grad', cut_line=9, no_grad=[], raises=None, own_backward=True)
