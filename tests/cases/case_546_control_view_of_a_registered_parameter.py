import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(3, 2)); self.turned = self.table.t()
        self.body = nn.Linear(3, 2)

    def forward(self, x):
        return self.body(x) + x @ self.turned.T

net, x = Net(), torch.randn(5, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
