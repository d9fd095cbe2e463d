import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
net, head = nn.Linear(3, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], 0.1)
cache = {}

def step():
    if 'z' not in cache:
        cache['z'] = net(x)
    z = cache['z']
    cache['z'] = cache['z'].detach()
    return F.mse_loss(head(z), y)

EXPECT = dict(kind='detach', cut_line=14, no_grad=['net.weight', 'net.bias'], raises=None, calls=3)
