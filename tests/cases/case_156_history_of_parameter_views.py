import torch
from torch import nn
torch.manual_seed(0)
w, x, history = torch.randn(3, requires_grad=True), torch.randn(4, 3), []
opt = torch.optim.SGD([w], 0.1)

def step():
    history.append(w.detach())
    return (x @ w).pow(2).mean()

EXPECT = dict(kind='alias', cut_line=8, no_grad=[], raises=None)
