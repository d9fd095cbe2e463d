import torch
from torch import nn
torch.manual_seed(0)
actor, log_alpha, obs = nn.Linear(4, 2), torch.zeros((), requires_grad=True), torch.randn(8, 4)
critic = nn.Linear(6, 1)

def step():
    dist = torch.distributions.Normal(actor(obs), 1.0)
    act = dist.rsample()
    logp = dist.log_prob(act).sum(1)
    alpha = log_alpha.exp()
    actor_loss = (alpha.detach() * logp - critic(torch.cat([obs, act], 1)).squeeze(1)).mean()
    alpha_loss = -(log_alpha * (logp + 2).detach()).mean()
    return actor_loss + alpha_loss

EXPECT = dict(kind='detach', cut_line=12, no_grad=[], raises=None, ok=True)
