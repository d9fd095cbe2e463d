import torch
from torch import nn
torch.manual_seed(0)
w = torch.randn(4, 1, requires_grad=True)
x = torch.randn(8, 4)
def step():
    loss = (x @ w).pow(2).mean()
    w.grad, = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w.sub_(0.1 * w.grad)
    return loss.detach()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
