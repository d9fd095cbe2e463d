import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 2), torch.randn(4, 3)

def step():
    out = torch.zeros(4, 4)
    out[:, :2] = net(x)
    out[:, 2:] = net(-x).tanh()
    return out.pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
