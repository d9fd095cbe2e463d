import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)
def step():
    out = net(x)
    out.pow(2).mean().backward(retain_graph=True)
    one = [p.grad for p in net.parameters()]
    for p in net.parameters(): p.grad = None
    out.abs().mean().backward()
    for p, g in zip(net.parameters(), one): p.grad = (p.grad + g) / 2
    opt.step()
    return out.detach().mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
