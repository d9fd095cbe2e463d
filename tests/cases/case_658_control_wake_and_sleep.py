import torch
from torch import nn
from torch.distributions import Normal
torch.manual_seed(0)
recognise, generate, x = nn.Linear(3, 2), nn.Linear(2, 3), torch.randn(8, 3)
opt = torch.optim.SGD([*recognise.parameters(), *generate.parameters()], lr=0.01)
def step():
    z = Normal(recognise(x).detach(), 1.0).sample()
    wake = -Normal(generate(z), 1.0).log_prob(x).sum()
    dream = torch.randn(8, 2)
    seen = Normal(generate(dream), 1.0).sample()
    sleep = -Normal(recognise(seen), 1.0).log_prob(dream).sum()
    return wake + sleep

EXPECT = dict(kind='no_grad', cut_line=11, no_grad=[], raises=None, ok=True)
