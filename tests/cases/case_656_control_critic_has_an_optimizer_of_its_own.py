import torch
from torch import nn
from torch.distributions import Normal
torch.manual_seed(0)
actor, critic, x = nn.Linear(3, 2), nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1)), torch.randn(16, 3)
actor_opt = torch.optim.SGD(actor.parameters(), lr=0.01)
critic_opt = torch.optim.SGD(critic.parameters(), lr=0.01)
def step():
    action = Normal(actor(x), 0.5).sample()
    fit = (critic(torch.cat([x, action], -1)) + (action - 1).pow(2).sum(-1, keepdim=True)).pow(2).mean()
    critic_opt.zero_grad(); fit.backward(); critic_opt.step()
    policy = Normal(actor(x), 0.5)
    gain = (policy.mean - 1).pow(2).mean() - 0.01 * policy.entropy().mean()
    actor_opt.zero_grad(); gain.backward(); actor_opt.step()
    return gain.detach()

EXPECT = dict(kind='no_grad', cut_line=9, no_grad=[], raises=None, ok=True, own_backward=True)
