import torch
from torch import nn
from torch.distributions import Normal
torch.manual_seed(0)
actor, critic, x = nn.Linear(3, 2), nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1)), torch.randn(16, 3)
opt = torch.optim.SGD([*actor.parameters(), *critic.parameters()], lr=0.01)
def step():
    policy = Normal(actor(x), 0.5)
    action = policy.sample()
    reward = -(action - 1).pow(2).sum(-1, keepdim=True)
    fit = (critic(torch.cat([x, action], -1)) - reward).pow(2).mean()
    return fit - critic(torch.cat([x, policy.rsample()], -1)).mean()

EXPECT = dict(kind='no_grad', cut_line=9, no_grad=[], raises=None, ok=True)
