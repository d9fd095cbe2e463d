import torch
from torch import nn
from torch.distributions import Normal
torch.manual_seed(0)
body, pi, q, x = nn.Linear(3, 8), nn.Linear(8, 2), nn.Linear(10, 1), torch.randn(16, 3)
opt = torch.optim.SGD([*body.parameters(), *pi.parameters(), *q.parameters()], lr=0.01)
def step():
    h = body(x).tanh()
    policy = Normal(pi(h), 0.5)
    action = policy.sample()
    reward = -(action - 1).pow(2).sum(-1)
    worth = q(torch.cat([h, action], -1)).squeeze(-1)
    score = policy.log_prob(action).sum(-1) * (reward - worth.detach())
    return (worth - reward).pow(2).mean() - score.mean() - 0.01 * policy.entropy().mean()

EXPECT = dict(kind='no_grad', cut_line=10, no_grad=[], raises=None, ok=True)
