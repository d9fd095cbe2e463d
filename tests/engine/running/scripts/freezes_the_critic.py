"""Wasserstein's GAN as it was first written: the critic is frozen for the generator's step, and then left so."""

import torch
from torch import nn

torch.manual_seed(0)
critic, generator = nn.Linear(2, 1), nn.Linear(2, 2)
of_critic = torch.optim.RMSprop(critic.parameters(), lr=5e-3)
of_generator = torch.optim.RMSprop(generator.parameters(), lr=5e-3)
for _ in range(4):
    critic.requires_grad_(True)
    for _ in range(5):
        with torch.no_grad():
            for p in critic.parameters():
                p.clamp_(-0.01, 0.01)
            fake = generator(torch.randn(8, 2))
        critic.zero_grad()
        (critic(fake).mean() - critic(torch.randn(8, 2) + 1).mean()).backward()
        of_critic.step()
    critic.requires_grad_(False)
    generator.zero_grad()
    loss = -critic(generator(torch.randn(8, 2))).mean()
    loss.backward()
    of_generator.step()
    print(loss.item())
