import torch
from torch import nn
from torch.distributions import Normal
torch.manual_seed(0)
actor, value, x = nn.Linear(3, 2), nn.Linear(5, 1), torch.randn(16, 3)
opt = torch.optim.SGD([*actor.parameters(), *value.parameters()], lr=0.01)
def step():
    mean = actor(x)
    action = Normal(mean, 0.5).sample()
    reward = -(action - 1).pow(2).sum(-1)
    worth = value(torch.cat([x, action], -1)).squeeze(-1)
    log_prob = nn.functional.gaussian_nll_loss(mean, action, torch.full_like(mean, 0.25), reduction='none').sum(-1)
    return (log_prob * (reward - worth).detach()).mean() + (worth - reward).pow(2).mean()

EXPECT = dict(kind='no_grad', cut_line=9, no_grad=[], raises=None, ok=True)
