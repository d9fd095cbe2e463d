"""A loss that trains silently wrong: no exception, and the actor never learns.

An actor-critic step for continuous actions. The loss moves, since the entropy still reaches scale, but
sample() draws the action without a path back to the actor. rsample() would keep it.
"""

import torch
from torch import nn
from torch.distributions import Normal

generator = torch.Generator().manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(4 + 2, 16), nn.Tanh(), nn.Linear(16, 1)).requires_grad_(False)
scale = nn.Parameter(torch.zeros(1))
optimizer = torch.optim.Adam([*actor.parameters(), scale], lr=1e-3)
observations = torch.randn(8, 4, generator=generator)


def step():
    policy = Normal(actor(observations), scale.exp())
    actions = policy.sample()
    value = critic(torch.cat([observations, actions], dim=1))
    entropy = policy.entropy().mean()
    return -value.mean() - 0.01 * entropy
