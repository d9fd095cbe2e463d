import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)
def step():
    lp = nn.functional.logsigmoid(net(x)); cost = torch.arange(8.).unsqueeze(1) ** 2; base = cost.mean()
    return (torch.exp(lp - lp.detach()) * cost).mean() + (1 - torch.exp(lp - lp.detach())).mean() * base

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
