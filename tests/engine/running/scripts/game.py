import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 8))
critic = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
ours, theirs = (torch.optim.Adam(player.parameters()) for player in (generator, critic))
score = nn.functional.binary_cross_entropy_with_logits


def turn_of(player, other):
    player.requires_grad_(True)
    other.requires_grad_(False)


for _ in range(4):
    x, z = torch.randn(8, 8), torch.randn(8, 4)
    turn_of(generator, critic)
    made = generator(z)
    made = made.detach().requires_grad_()
    loss = score(critic(made), torch.ones(8, 1))
    ours.zero_grad()
    loss.backward()
    ours.step()
    turn_of(critic, generator)
    judged = score(critic(x), torch.ones(8, 1)) + score(critic(generator(z)), torch.zeros(8, 1))
    theirs.zero_grad()
    judged.backward()
    theirs.step()
