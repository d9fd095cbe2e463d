import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 1), torch.randn(8, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.zero_grad()
    opt.step()
    return loss

EXPECT = dict(kind='zero_grad', cut_line=10, no_grad=['net.weight', 'net.bias'], raises=None, own_backward=True)
