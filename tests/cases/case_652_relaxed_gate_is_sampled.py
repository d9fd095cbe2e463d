import torch
from torch import nn
from torch.distributions import RelaxedBernoulli
torch.manual_seed(0)
gate, net, x, y = nn.Parameter(torch.zeros(3)), nn.Linear(3, 1), torch.randn(8, 3), torch.randn(8, 1)
opt = torch.optim.SGD([gate, *net.parameters()], lr=0.01)
def step():
    kept = RelaxedBernoulli(torch.tensor(0.5), logits=gate).sample((8,))
    return (net(x * kept) - y).pow(2).mean() + 0.1 * gate.sigmoid().sum()

EXPECT = dict(kind='no_grad', cut_line=8, no_grad=[], raises=None, wrong=['gate'],
              fix=(8, 'kept = RelaxedBernoulli(torch.tensor(0.5), logits=gate).rsample((8,))'))
