import torch
from torch import nn
torch.manual_seed(0)
w, x = torch.randn(3, requires_grad=True), torch.randn(4, 3)

def step():
    loss = (x @ w).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w.sub_(0.1 * w.grad)
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
