import torch
from torch import nn
from torch.distributions import Bernoulli, kl_divergence
torch.manual_seed(0)
enc, dec, x = nn.Linear(3, 4), nn.Linear(4, 3), torch.randn(8, 3)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.01)
def step():
    q = Bernoulli(logits=enc(x))
    hard = q.sample()
    z = hard + q.probs - q.probs.detach()
    return (dec(z) - x).pow(2).sum() + kl_divergence(q, Bernoulli(0.5)).sum()

EXPECT = dict(kind='no_grad', cut_line=9, no_grad=[], raises=None, ok=True)
