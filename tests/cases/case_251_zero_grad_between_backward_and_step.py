import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters())
x = torch.randn(6, 4)

def step():
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.zero_grad()
    opt.step()
    return loss

EXPECT = dict(kind='zero_grad', cut_line=12, no_grad=['net.weight', 'net.bias'], raises=None, own_backward=True)
