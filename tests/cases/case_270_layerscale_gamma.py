import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
net, head = nn.Linear(3, 4), nn.Linear(3, 1)
gamma = nn.Parameter(torch.zeros(4))
mix = nn.Linear(4, 3)
opt = torch.optim.SGD([*net.parameters(), *head.parameters(), *mix.parameters(), gamma], 0.1)

def step():
    return F.mse_loss(head(x + mix(net(x)) @ torch.eye(3) * gamma[:3]), y)

EXPECT = dict(kind='none', cut_line=None, no_grad=[], zero=['net.weight', 'net.bias', 'mix.weight', 'mix.bias'], raises=None, ok=True)
