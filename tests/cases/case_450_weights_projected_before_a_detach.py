import torch
from torch import nn
torch.manual_seed(0)
net, head = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(8, 4)
def step():
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(p / p.norm().clamp(min=1))
    h = net(x).detach()
    return head(h).pow(2).mean()

EXPECT = dict(kind='detach', cut_line=11, no_grad=['net.weight', 'net.bias'], raises=None, fix=(11, 'h = net(x)'))
