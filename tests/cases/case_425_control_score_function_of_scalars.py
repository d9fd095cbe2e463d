import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)
def step():
    out = net(x); f = out.pow(2).mean(); lp = nn.functional.logsigmoid(out).sum()
    return f.detach() * lp + (lp - lp.detach()) * 0.1

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
