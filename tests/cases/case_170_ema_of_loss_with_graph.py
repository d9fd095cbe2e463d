import torch
from torch import nn
torch.manual_seed(0)
net, x, avg = nn.Linear(4, 1), torch.randn(8, 4), None

def step():
    global avg
    loss = net(x).pow(2).mean()
    avg = loss if avg is None else 0.9 * avg + 0.1 * loss  # <--
    return loss

EXPECT = dict(kind='growth', cut_line=None, no_grad=[], raises=None, growth='avg', calls=4)
