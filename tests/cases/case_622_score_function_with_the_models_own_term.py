import torch
from torch.distributions import Bernoulli, Normal

logit, y = torch.zeros(16, requires_grad=True), torch.linspace(-1, 1, 16)
opt = torch.optim.SGD([logit], lr=0.1)


def step():
    guide = Bernoulli(logits=logit)
    z = guide.sample()
    model, score = Normal(z, 1.0).log_prob(y).sum(), guide.log_prob(z).sum()
    return -(model + (model - score).detach() * score - score)


EXPECT = dict(kind="no_grad", cut_line=10, no_grad=[], raises=None, ok=True)
