import torch
from torch import nn
torch.manual_seed(0)
G, D = nn.Linear(3, 4), nn.Linear(4, 1)
noise, real = torch.randn(8, 3), torch.randn(8, 4)
bce = nn.BCEWithLogitsLoss()

def step():
    fake = G(noise)
    return bce(D(fake.detach()), torch.zeros(8, 1)) + bce(D(real), torch.ones(8, 1))

EXPECT = dict(kind='detach', cut_line=10, no_grad=['G.weight', 'G.bias'], raises=None, ok=True)
