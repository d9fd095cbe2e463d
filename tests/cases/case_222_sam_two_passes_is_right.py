import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(8, 4), torch.randn(8, 1)

def step():
    F.mse_loss(net(x), y).backward()
    eps = {}
    with torch.no_grad():
        norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
        for p in net.parameters():
            eps[p] = 0.05 * p.grad / norm
            p.add_(eps[p])
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    with torch.no_grad():
        for p in net.parameters(): p.sub_(eps[p])
    opt.step(); opt.zero_grad()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, own_backward=True, calls=2, ok=True)
