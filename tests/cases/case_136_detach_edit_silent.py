import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(4, 3), torch.randn(8, 4)

def step():
    p = net(x)
    keep = p.detach()
    keep[keep < 0] = 0
    return (p * torch.ones(8, 3)).sum()

EXPECT = dict(kind='alias', cut_line=8, no_grad=[], raises=None, loss_differs=True)
