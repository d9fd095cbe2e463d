import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(6, 4), torch.randn(6, 1)
stats = {'loss': [], 'n': 0}

def step():
    loss = F.huber_loss(net(x), y)
    stats['loss'].append(loss); stats['n'] += 1
    return loss

EXPECT = dict(kind='growth', cut_line=12, no_grad=[], raises=None, growth='stats', calls=4)
