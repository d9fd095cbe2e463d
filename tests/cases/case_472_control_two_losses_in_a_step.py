import torch
from torch import nn
torch.manual_seed(0)
net, head = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(8, 4)
def step():
    a = net(x).pow(2).mean()
    a.backward()
    b = head(x).abs().mean()
    b.backward()
    opt.step(); opt.zero_grad(set_to_none=False)
    return (a + b).detach()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True, zero=['net.weight', 'net.bias', 'head.weight', 'head.bias'])
