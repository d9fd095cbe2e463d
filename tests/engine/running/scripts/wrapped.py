import torch
from torch import nn


class Wrapped(torch.optim.Optimizer):
    """As accelerate's: passes for an optimizer and hands everything on to one."""

    def __init__(self, optimizer):
        self.optimizer = optimizer

    @property
    def param_groups(self):
        return self.optimizer.param_groups

    def zero_grad(self):
        self.optimizer.zero_grad()

    def step(self):
        self.optimizer.step()


class Trainer:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.head = nn.Linear(8, 1)
        layers = nn.ModuleList([self.net, self.head])
        self.optimizer = Wrapped(torch.optim.SGD(layers.parameters(), lr=0.1))

    def fit(self):
        for _ in range(3):
            h = self.net(torch.randn(8, 4))
            h = h.detach()
            loss = self.head(h).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


torch.manual_seed(0)
Trainer().fit()
