import torch
from torch import nn
torch.manual_seed(0)
net, head = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(8, 4)
avg = nn.Linear(4, 4).requires_grad_(False)
def step():
    for a, p in zip(avg.parameters(), net.parameters()):
        a.data.mul_(0.9).add_(p.data, alpha=0.1)
    h = net(x).detach()
    return (head(h) - head(avg(x)).detach()).pow(2).mean()

EXPECT = dict(kind='detach', cut_line=11, no_grad=['net.weight', 'net.bias', 'avg.weight', 'avg.bias'], raises=None, fix=(11, 'h = net(x)'), still_none=['avg.weight', 'avg.bias'])
