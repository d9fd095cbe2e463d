import torch
from torch import nn
torch.manual_seed(0)
class Adapted(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.a, self.b = (nn.Parameter(torch.randn(s)) for s in ((6, 6), (6, 1), (1, 6)))

    def forward(self, x):
        return x @ (self.weight + self.a @ self.b)

net, x = nn.Sequential(Adapted(), nn.Tanh(), nn.Linear(6, 1)), torch.randn(5, 6)
opt = torch.optim.SGD([net[0].a, net[0].b], 0.1)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
