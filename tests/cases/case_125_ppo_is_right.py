import torch
from torch import nn
torch.manual_seed(0)
actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
obs, ret = torch.randn(8, 4), torch.randn(8)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], 0.1)
with torch.no_grad():
    old = torch.distributions.Categorical(logits=actor(obs))
    act = old.sample()
    old_logp = old.log_prob(act)

def step():
    dist = torch.distributions.Categorical(logits=actor(obs))
    value = critic(obs).squeeze(1)
    adv = (ret - value).detach()
    adv = (adv - adv.mean()) / adv.std()
    ratio = (dist.log_prob(act) - old_logp).exp()
    clip = torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv)
    return -clip.mean() + (ret - value).pow(2).mean() - 0.01 * dist.entropy().mean()

EXPECT = dict(kind='detach', cut_line=15, no_grad=[], raises=None, ok=True)
