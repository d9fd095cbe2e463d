import torch
from torch import nn
torch.manual_seed(0)
net, x, slack = nn.Linear(3, 1), torch.randn(5, 3), nn.Parameter(torch.zeros(5, 1))
opt = torch.optim.SGD([*net.parameters(), slack], 0.1)

def step():
    return (net(x) + slack.square() - 1).pow(2).mean()

EXPECT = dict(kind='zero_op', cut_line=None, no_grad=[], raises=None, zero=['slack'], fix=(8, 'return (net(x) + slack.exp() - 1).pow(2).mean()'))
