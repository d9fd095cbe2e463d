import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 16), nn.SiLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters())
x = torch.randn(16, 2)

def step():
    sigma = torch.rand(16, 1) + 0.1
    noise = torch.randn_like(x)
    return (sigma * net(x + sigma * noise) + noise).square().sum(-1).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
