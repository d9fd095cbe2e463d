import torch
from torch import nn
torch.manual_seed(0)
policy, obs, ret = nn.Linear(4, 3), torch.randn(8, 4), torch.randn(8)

def step():
    dist = torch.distributions.Categorical(logits=policy(obs))
    act = dist.sample()
    return -(dist.log_prob(act) * ret).mean()

EXPECT = dict(kind='no_grad', cut_line=8, no_grad=[], raises=None, ok=True)
