import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)
def step():
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.step()
    for p in net.parameters():
        p.grad.fill_(0.0)
    return loss.detach()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True, zero=['net.weight', 'net.bias'])
