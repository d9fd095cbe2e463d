import torch
from torch import nn
torch.manual_seed(0)
net, x, log = nn.Linear(4, 1), torch.randn(8, 4), []

def step():
    loss = net(x).pow(2).mean()
    log.append(loss.item())
    return loss

EXPECT = dict(kind='item', cut_line=8, no_grad=[], raises=None, ok=True, calls=4)
