import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(6, 4), torch.randn(6, 2)

def step():
    l1 = F.l1_loss(net(x), y); l2 = F.mse_loss(net(x), y)
    return l1 / l1.detach() + l2 / l2.detach()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
