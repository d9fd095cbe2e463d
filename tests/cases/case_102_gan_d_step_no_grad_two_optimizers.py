import torch
from torch import nn
torch.manual_seed(0)
G, D = nn.Linear(3, 4), nn.Linear(4, 1)
opt_g, opt_d = torch.optim.Adam(G.parameters(), 0.1), torch.optim.Adam(D.parameters(), 0.1)
noise, real = torch.randn(8, 3), torch.randn(8, 4)

def step():
    with torch.no_grad():
        fake = G(noise)
    return D(fake).exp().mean() + (-D(real)).exp().mean()

EXPECT = dict(kind='no_grad', cut_line=9, no_grad=['G.weight', 'G.bias'], raises=None, ok=True)
