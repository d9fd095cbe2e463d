import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)
def step():
    loss = net(x).pow(2).mean()
    loss.backward()
    for p in net.parameters():
        p.grad = torch.zeros_like(p.grad)
    opt.step()
    return loss.detach()

EXPECT = dict(kind='zero_grad', cut_line=11, no_grad=[], zero=['net.weight', 'net.bias'], raises=None, own_backward=True, fix=(11, 'pass'))
