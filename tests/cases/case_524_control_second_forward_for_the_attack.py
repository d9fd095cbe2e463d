import torch
from torch import nn
torch.manual_seed(0)
net, data, y = nn.Linear(3, 2), torch.randn(5, 3), torch.tensor([0, 1, 0, 1, 1])

def step():
    x = data.clone()
    clean = nn.functional.cross_entropy(net(x), y)
    x.requires_grad_(True)
    nn.functional.cross_entropy(net(x), y).backward()
    bad = (x + 0.1 * x.grad.sign()).detach()
    net.zero_grad()
    return clean + nn.functional.cross_entropy(net(bad), y)

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
