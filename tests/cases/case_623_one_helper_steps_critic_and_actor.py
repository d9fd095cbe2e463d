import torch
from torch import nn

actor, critic, x, y = nn.Linear(3, 2), nn.Linear(2, 1), torch.randn(8, 3), torch.randn(8, 1)
opt_actor = torch.optim.SGD(actor.parameters(), lr=0.1)
opt_critic = torch.optim.SGD(critic.parameters(), lr=0.1)


def descend(opt, loss):
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.detach()


def step():
    for _ in range(2):
        descend(opt_critic, (critic(actor(x).detach()) - y).pow(2).mean())
        loss = descend(opt_actor, -critic(actor(x)).mean())
    return loss


EXPECT = dict(kind="detach", cut_line=18, no_grad=[], raises=None, ok=True, own_backward=True)
