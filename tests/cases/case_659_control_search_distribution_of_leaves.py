import torch
from torch import nn
from torch.distributions import Normal
torch.manual_seed(0)
mean, baseline = torch.zeros(2, requires_grad=True), nn.Linear(2, 1)
opt = torch.optim.SGD([mean, *baseline.parameters()], lr=0.1)
def step():
    tried = Normal(mean, 0.5).sample((16,))
    cost = (tried - 1).pow(2).sum(-1)
    near = (tried - mean).pow(2).sum(-1) / 0.5
    guess = baseline(tried).squeeze(-1)
    return (guess - cost).pow(2).mean() - (near * (cost - guess).detach()).mean()

EXPECT = dict(kind='no_grad', cut_line=8, no_grad=[], raises=None, ok=True)
