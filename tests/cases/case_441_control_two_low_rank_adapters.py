import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.ModuleList([nn.Linear(4, 2, bias=False) for _ in range(2)])
        self.b = nn.ModuleList([nn.Linear(2, 4, bias=False) for _ in range(2)])
        for one in self.b: nn.init.zeros_(one.weight)
        self.out = nn.Linear(4, 1)
    def forward(self, x):
        for a, b in zip(self.a, self.b): x = x + b(a(x))
        return self.out(x)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)
def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, zero=['net.a.0.weight', 'net.a.1.weight'])
