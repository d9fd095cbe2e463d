import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
from torch.func import functional_call
net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
shift = nn.Parameter(torch.zeros(4))
opt = torch.optim.Adam([*net.parameters(), shift])
x = torch.randn(6, 4)

def step():
    params = {k: v.detach() for k, v in net.named_parameters()}
    return functional_call(net, params, (x + shift,)).pow(2).mean()

EXPECT = dict(kind='detach', cut_line=12, no_grad=['net.0.weight', 'net.0.bias', 'net.2.weight', 'net.2.bias'], raises=None)
