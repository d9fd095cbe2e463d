import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)), torch.randn(5, 3)
opt = torch.optim.SGD(net[0].parameters(), 0.1)
last = {p: torch.optim.SGD([p], 0.1) for p in net[2].parameters()}
for p in last:
    p.register_post_accumulate_grad_hook(lambda p: last[p].step())

def step():
    opt.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.step()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
