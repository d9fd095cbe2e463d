import torch
from torch import nn
torch.manual_seed(0)
actor, critic, x = nn.Linear(3, 2), nn.Linear(2, 1), torch.randn(5, 3)
critic_opt = torch.optim.Adam(critic.parameters(), 0.1)

def step():
    return -critic(actor(x)).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
