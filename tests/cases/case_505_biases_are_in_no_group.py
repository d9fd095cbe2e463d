import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2)), torch.randn(5, 3)
opt = torch.optim.SGD([p for n, p in net.named_parameters() if 'bias' not in n], 0.1)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='unregistered', cut_line=None, no_grad=[], raises=None, unchanged_by_opt=['net.0.bias', 'net.2.bias'],
              fix=(5, 'opt = torch.optim.SGD(net.parameters(), 0.1)'))
