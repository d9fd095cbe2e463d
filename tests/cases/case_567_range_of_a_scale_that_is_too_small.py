import torch
from torch import nn
torch.manual_seed(0)
net, x, log_scale = nn.Linear(3, 1), torch.randn(5, 3), nn.Parameter(torch.tensor(-8.0))
opt = torch.optim.Adam([*net.parameters(), log_scale], 0.1)

def step():
    scale = log_scale.exp().clamp(min=1e-3)
    return (net(x) * scale - 1).pow(2).mean()

EXPECT = dict(kind='zero_op', cut_line=None, no_grad=[], raises=None, zero=['log_scale'], fix=(8, 'scale = log_scale.exp() + 1e-3'))
