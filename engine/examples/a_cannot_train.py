"""A loss that cannot train: backward() raises.

A policy gradient that collects its terms in a Python number. The loss looks right when it is printed, but it is a
new tensor that knows nothing of the policy.
"""

import torch
from torch import nn

generator = torch.Generator().manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
observations = torch.randn(5, 4, generator=generator)
actions = torch.tensor([0, 2, 1, 1, 0])
returns = [1.0, -0.5, 0.2, 0.0, 2.0]


def step():
    log_probabilities = policy(observations).log_softmax(dim=1)
    loss = 0.0
    for log_probability, action, value in zip(log_probabilities, actions, returns):
        loss -= log_probability[action].item() * value
    return torch.tensor(loss / len(returns))
