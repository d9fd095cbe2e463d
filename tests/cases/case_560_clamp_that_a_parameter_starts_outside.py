import torch
from torch import nn
torch.manual_seed(0)
net, x, alpha = nn.Linear(3, 1), torch.randn(5, 3), nn.Parameter(torch.tensor(1.5))
opt = torch.optim.SGD([*net.parameters(), alpha], 0.1)

def step():
    mix = alpha.clamp(0, 1)
    return (mix * net(x) + (1 - mix) * x[:, :1]).pow(2).mean()

EXPECT = dict(kind='zero_op', cut_line=None, no_grad=[], raises=None, zero=['alpha'], fix=(8, 'mix = alpha.sigmoid()'))
