import torch
from torch import nn
torch.manual_seed(0)
cfg = {"clip": 0}
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)); opt = torch.optim.SGD(net.parameters(), lr=1e-2)
x, y = torch.randn(16, 4), torch.randn(16, 1)
def step():
    opt.zero_grad(); loss = (net(x) - y).pow(2).mean(); loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), cfg["clip"])
    opt.step()
    return loss


EXPECT = dict(kind='zero_op', cut_line=9, no_grad=[], zero=['net.0.weight','net.0.bias','net.2.weight','net.2.bias'], raises=None, own_backward=True, calls=3)
