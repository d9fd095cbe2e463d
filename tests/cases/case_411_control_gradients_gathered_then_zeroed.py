import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
x = torch.randn(3, 8, 4)
def step():
    total = [torch.zeros_like(p) for p in net.parameters()]
    for part in x:
        loss = net(part).pow(2).mean()
        loss.backward()
        for t, p in zip(total, net.parameters()):
            t += p.grad / 3
            p.grad.zero_()
    with torch.no_grad():
        for t, p in zip(total, net.parameters()):
            p -= 0.1 * t
    return loss.detach()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True, zero=['net.weight', 'net.bias'])
