import torch
from torch import nn
from torch.distributions import Normal, kl_divergence
torch.manual_seed(0)
enc, dec, x = nn.Linear(3, 4), nn.Linear(2, 3), torch.randn(8, 3)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.01)
def step():
    mu, logvar = enc(x).chunk(2, -1)
    q = Normal(mu, (0.5 * logvar).exp())
    z = q.sample()
    kl = kl_divergence(q, Normal(0.0, 1.0)).sum()
    return (dec(z) - x).pow(2).sum() + kl

EXPECT = dict(kind='no_grad', cut_line=10, no_grad=[], raises=None, wrong=['enc.weight', 'enc.bias'],
              fix=(10, 'z = q.rsample()'))
