import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))
        self.lin = nn.Linear(3, 1)

    def forward(self, x):
        return self.lin(x * self.scale.data)

net, x = Net(), torch.randn(8, 3)
opt = torch.optim.Adam(net.parameters(), 0.1)

def step():
    opt.zero_grad()
    return net(x).pow(2).mean()

EXPECT = dict(kind='data', cut_line=11, no_grad=['net.scale'], raises=None)
