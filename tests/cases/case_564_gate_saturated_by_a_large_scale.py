import torch
from torch import nn
torch.manual_seed(0)
net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
nn.init.constant_(net.weight, 200.0)

def step():
    gate = net(x).sigmoid()
    return head(gate).pow(2).mean()

EXPECT = dict(kind='zero_op', cut_line=None, no_grad=[], raises=None, zero=['net.weight', 'net.bias'], fix=(8, 'gate = (net(x) / 200).sigmoid()'))
