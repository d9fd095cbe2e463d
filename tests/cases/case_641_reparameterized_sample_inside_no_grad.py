import torch
from torch import nn
from torch.distributions import Normal
torch.manual_seed(0)
actor, critic, x = nn.Linear(3, 1), nn.Linear(1, 1), torch.ones(8, 3)
opt = torch.optim.SGD(actor.parameters(), lr=0.1)
def step():
    policy = Normal(actor(x), 1.0)
    with torch.no_grad():
        action = policy.rsample()
    return critic(action).mean()

EXPECT = dict(kind='no_grad', cut_line=9, no_grad=['actor.weight', 'actor.bias'], raises=None,
              fix=(9, 'with torch.enable_grad():'))
