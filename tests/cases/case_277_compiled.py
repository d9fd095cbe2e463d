import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
fast = torch.compile(net, backend='eager')

def step():
    return F.mse_loss(fast(x), y)

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
