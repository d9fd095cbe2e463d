import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.rest = tuple(nn.Linear(3, 3) for _ in range(2))  # <--

    def forward(self, x):
        x = self.first(x)
        for layer in self.rest:
            x = layer(x).tanh()
        return x

net, x = Net(), torch.randn(8, 3)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='unregistered', cut_line=None, no_grad=[], raises=None)
