import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1)), torch.randn(5, 3)
net[0].requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    opt.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.step()
    net[0].requires_grad_(True)
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=['net.0.weight', 'net.0.bias'], raises=None, ok=True, own_backward=True)
