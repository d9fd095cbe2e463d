import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.n, self.out = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 1)
        nn.init.zeros_(self.n.weight); nn.init.zeros_(self.n.bias)
    def forward(self, x):
        return self.out(x + self.n(x) * self.a(x))
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(9000, 4)
def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, zero=['net.a.weight', 'net.a.bias'])
