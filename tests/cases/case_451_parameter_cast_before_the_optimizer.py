import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(8, 3, dtype=torch.float64)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Parameter(torch.ones(3)).to(torch.float64)

    def forward(self, x):
        return x @ self.gate

net = Net()

def step():
    opt = torch.optim.SGD([net.gate], 0.1)
    return net(x).pow(2).mean()

EXPECT = dict(kind='non_leaf', cut_line=9, no_grad=[], raises=('ValueError', 'non-leaf'), raises_in='step', raise_line=17,
              fix=(9, 'self.gate = nn.Parameter(torch.ones(3).to(torch.float64))'))
