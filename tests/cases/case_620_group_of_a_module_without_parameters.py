import torch
from torch import nn

net, likelihood, x = nn.Linear(3, 1), nn.Softplus(), torch.ones(8, 3)
opt = torch.optim.Adam([{"params": net.parameters()}, {"params": likelihood.parameters()}], lr=0.1)


def step():
    return likelihood(net(x)).mean()


EXPECT = dict(kind="none", cut_line=None, no_grad=[], raises=None, ok=True)
