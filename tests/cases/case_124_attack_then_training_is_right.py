import torch
from torch import nn
torch.manual_seed(0)
net, x, y = nn.Linear(3, 1), torch.randn(8, 3), torch.randn(8, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    delta = torch.zeros_like(x, requires_grad=True)
    (net(x + delta) - y).pow(2).mean().backward()
    adv = (x + 0.1 * delta.grad.sign()).detach()
    opt.zero_grad()
    return (net(adv) - y).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
