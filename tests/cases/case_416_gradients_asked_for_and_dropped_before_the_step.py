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
        if p.grad is not None:
            p.grad = None
    opt.step()
    return loss.detach()

EXPECT = dict(kind='zero_grad', cut_line=12, no_grad=['net.weight', 'net.bias'], raises=None, own_backward=True, fix=(12, 'pass'))
