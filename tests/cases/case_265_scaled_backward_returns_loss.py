import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    opt.zero_grad()
    total = 0.0
    for i in range(4):
        loss = F.mse_loss(net(x[2 * i:2 * i + 2]), y[2 * i:2 * i + 2])
        (loss / 4).backward()
        total = total + loss
    opt.step()
    return total

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
