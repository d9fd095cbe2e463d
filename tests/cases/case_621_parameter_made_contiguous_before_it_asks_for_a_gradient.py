import torch
from torch import nn

net, x, kept = nn.Linear(3, 1), torch.ones(8, 3), []
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    scale = torch.exp(torch.zeros(3)).contiguous()
    scale.requires_grad_(True)
    kept.append(nn.Parameter(scale))
    return net(x * kept[-1]).pow(2).mean()


EXPECT = dict(kind="none", cut_line=None, no_grad=[], raises=None, ok=True)
