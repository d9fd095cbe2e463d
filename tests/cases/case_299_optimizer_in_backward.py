import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opts = {p: torch.optim.SGD([p], lr=0.01) for p in net.parameters()}
def hook(p):
    opts[p].step(); opts[p].zero_grad()
for p in net.parameters(): p.register_post_accumulate_grad_hook(hook)
x, y = torch.randn(16, 4), torch.randn(16, 1)
def step():
    loss = (net(x) - y).pow(2).mean(); loss.backward()
    return loss


EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
