"""Nothing wrong: a detach that is meant.

The discriminator's step of a GAN. The fake pictures are detached, so that this step moves the discriminator alone;
its optimizer holds no parameter of the generator, and nobody starves.
"""

import torch
from torch import nn
from torch.nn.functional import softplus

generator = torch.Generator().manual_seed(0)
g = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 8))
d = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(d.parameters(), lr=2e-4)
noise = torch.randn(16, 3, generator=generator)
real = torch.randn(16, 8, generator=generator)


def step():
    fake = g(noise).detach()
    return softplus(d(fake)).mean() + softplus(-d(real)).mean()
