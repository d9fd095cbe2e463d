import torch
from torch import nn
torch.manual_seed(0)
net, x, best = nn.Linear(3, 1), torch.randn(4, 3), {}

def step():
    global best
    best = {k: v.clone() for k, v in net.state_dict().items()}
    return net(x).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
