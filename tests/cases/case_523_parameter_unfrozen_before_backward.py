import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1)), torch.randn(5, 3)
net[0].requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    loss = net(x).pow(2).mean()
    for p in net[0].parameters():
        p.requires_grad = True
    loss.backward()
    return loss

EXPECT = dict(kind='frozen', cut_line=11, no_grad=['net.0.weight', 'net.0.bias'], raises=None, own_backward=True,
              fix=(11, 'p.requires_grad = True; loss = net(x).pow(2).mean()'))
