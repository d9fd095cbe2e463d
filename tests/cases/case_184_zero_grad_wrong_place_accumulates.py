import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 1), torch.randn(8, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.step()
    return loss

EXPECT = dict(kind='zero_grad', cut_line=9, no_grad=[], raises=None, own_backward=True, calls=3)
