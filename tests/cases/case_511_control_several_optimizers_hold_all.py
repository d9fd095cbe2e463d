import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Sequential(nn.Linear(3, 8), nn.Linear(8, 2), nn.Linear(2, 4), nn.Linear(4, 1)), torch.randn(5, 3)
first, last = torch.optim.SGD(net[:3].parameters(), 0.1), torch.optim.Adam(net[3].parameters(), 0.1)

def step():
    loss = net(x).pow(2).mean()
    for one in (first, last):
        one.zero_grad()
    loss.backward()
    first.step()
    last.step()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
