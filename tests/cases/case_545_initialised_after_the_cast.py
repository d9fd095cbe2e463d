import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Parameter(torch.empty(2, 2)).to(torch.float64).float(); nn.init.eye_(self.mix)
        self.body = nn.Linear(3, 2)

    def forward(self, x):
        return self.body(x) @ self.mix

net, x = Net(), torch.randn(5, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='non_leaf', cut_line=7, no_grad=[], raises=None, fix=(7, 'self.mix = nn.Parameter(torch.eye(2))'))
