import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)
def step():
    net(x).pow(2).mean().backward()
    moves = [0.05 * p.grad / p.grad.norm() for p in net.parameters()]
    with torch.no_grad(): [p.add_(m) for p, m in zip(net.parameters(), moves)]
    opt.zero_grad(set_to_none=False)
    loss = net(x).pow(2).mean()
    loss.backward()
    with torch.no_grad(): [p.sub_(m) for p, m in zip(net.parameters(), moves)]
    opt.step(); opt.zero_grad(set_to_none=False)
    return loss.detach()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True, zero=['net.weight', 'net.bias'])
