import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", nn.Parameter(torch.randn(3)).abs())
        self.body = nn.Linear(3, 2)

    def forward(self, x):
        return self.body(self.scale * x)

net, x = Net(), torch.randn(5, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='non_leaf', cut_line=7, no_grad=[], raises=None, fix=(7, 'self.scale = nn.Parameter(torch.randn(3).abs())'))
