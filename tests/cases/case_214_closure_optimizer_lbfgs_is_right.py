import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
w = torch.zeros(3, requires_grad=True)
opt = torch.optim.LBFGS([w], lr=0.5, max_iter=4)
A, y = torch.randn(8, 3), torch.randn(8)

def step():
    def closure():
        opt.zero_grad()
        loss = (A @ w - y).pow(2).mean()
        loss.backward()
        return loss
    return opt.step(closure)

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, own_backward=True, calls=2, ok=True)
