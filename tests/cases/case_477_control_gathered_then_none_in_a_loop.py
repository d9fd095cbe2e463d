import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(3, 8, 4)
def step():
    total = [torch.zeros_like(p) for p in net.parameters()]
    for part in x:
        loss = net(part).pow(2).mean()
        loss.backward()
        for t, p in zip(total, net.parameters()):
            t += p.grad.clamp(-1, 1)
            p.grad = None
    for t, p in zip(total, net.parameters()):
        p.grad = t / 3
    opt.step()
    return loss.detach()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
