import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
w = nn.Parameter(torch.randn(4, 1))
opt = torch.optim.SGD([w], lr=0.1)
w = w.to(torch.float64)
x, y = torch.randn(16, 4, dtype=torch.float64), torch.randn(16, 1, dtype=torch.float64)

def step():
    opt.zero_grad()
    loss = F.mse_loss(x @ w, y)
    loss.backward()
    opt.step()
    return loss


EXPECT = dict(kind='non_leaf', cut_line=7, no_grad=['w'], raises=None)
