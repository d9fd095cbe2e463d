import torch
from torch import nn
torch.manual_seed(0)
from collections import deque
net, x, recent = nn.Linear(4, 1), torch.randn(8, 4), deque(maxlen=100)

def step():
    loss = net(x).pow(2).mean()
    recent.append({'loss': loss})
    return loss

EXPECT = dict(kind='growth', cut_line=9, no_grad=[], raises=None, growth='recent', calls=4)
