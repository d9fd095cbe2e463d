import torch
from torch import nn
torch.manual_seed(0)
enc, dec, code = nn.Linear(3, 2), nn.Linear(2, 3), nn.Embedding(4, 2)
x = torch.randn(8, 3)

def step():
    z = enc(x)
    e = code(torch.cdist(z, code.weight).argmin(1))
    q = z + (e - z).detach()
    book, commit = (e - z.detach()).pow(2).mean(), (z - e.detach()).pow(2).mean()
    return (dec(q) - x).pow(2).mean() + book + 0.25 * commit

EXPECT = dict(kind='detach', cut_line=10, no_grad=[], raises=None, ok=True)
