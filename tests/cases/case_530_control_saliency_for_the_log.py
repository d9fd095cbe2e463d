import torch
from torch import nn
torch.manual_seed(0)
net, x, seen = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), torch.randn(5, 3), []
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    inputs = x.clone()
    loss = net(inputs).pow(2).mean()
    inputs.requires_grad_()
    seen.append(torch.autograd.grad(net(inputs).sum(), inputs)[0].abs().mean().item())
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
