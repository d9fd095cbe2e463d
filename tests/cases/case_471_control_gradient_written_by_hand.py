import torch
from torch import nn
torch.manual_seed(0)
w = torch.randn(4, 1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
x = torch.randn(8, 4)
def step():
    with torch.no_grad():
        out = x @ w
        w.grad = 2 * x.t() @ out / 8
        opt.step()
    return out.pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
