import torch
from torch import nn
torch.manual_seed(0)
net, x, seen = nn.Linear(3, 4), torch.randn(8, 3), {}

def step():
    h = net(x).softmax(1)
    seen['map'] = h.detach()
    return h[:, 0].log().mean()

EXPECT = dict(kind='detach', cut_line=8, no_grad=[], raises=None, ok=True, calls=4)
