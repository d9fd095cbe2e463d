import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 1, bias=False)), torch.rand(8, 2)

def step():
    mixed = x.clone().requires_grad_()
    score = net(mixed.detach())
    slope, = torch.autograd.grad(score.sum(), mixed, create_graph=True)
    return (slope.norm(dim=1) - 1).pow(2).mean() + score.pow(2).mean()

EXPECT = dict(kind='detach', cut_line=8, no_grad=['net.0.weight'], raises=('RuntimeError', 'not have been used in the graph'),
              raises_in='step', raise_line=9, fix=(8, 'score = net(mixed)'))
