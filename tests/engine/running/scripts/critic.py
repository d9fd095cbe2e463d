import torch
from torch import nn

torch.manual_seed(0)
generator, critic = nn.Linear(2, 3), nn.Linear(3, 1)
for_generator = torch.optim.RMSprop(generator.parameters(), 1e-3)
for_critic = torch.optim.RMSprop(critic.parameters(), 1e-3)
later = torch.optim.SGD([nn.Parameter(torch.zeros(3))], 0.1)
for turn in range(20):
    for _ in range(5):
        fake = generator(torch.randn(4, 2)).detach()
        loss = critic(fake).mean() - critic(torch.randn(4, 3)).mean()
        for_critic.zero_grad()
        loss.backward()
        for_critic.step()
    fake = generator(torch.randn(4, 2))
    loss = -critic(fake.detach()).mean()
    for_generator.zero_grad()
    loss.backward()
    for_generator.step()
