import torch
from torch import nn
from torch.distributions import Independent, Normal
torch.manual_seed(0)
actor, critic, x = nn.Linear(3, 4), nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1)), torch.randn(8, 3)
opt = torch.optim.SGD(actor.parameters(), lr=0.01)
def step():
    mean, log_std = actor(x).chunk(2, -1)
    policy = Independent(Normal(mean, log_std.exp()), 1)
    action = torch.tanh(policy.sample())
    return -critic(torch.cat([x, action], -1)).mean() - 0.01 * policy.entropy().mean()

EXPECT = dict(kind='no_grad', cut_line=10, no_grad=[], raises=None, wrong=['actor.weight', 'actor.bias'],
              fix=(10, 'action = torch.tanh(policy.rsample())'))
