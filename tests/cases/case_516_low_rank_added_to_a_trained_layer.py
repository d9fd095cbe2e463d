import torch
from torch import nn
torch.manual_seed(0)
class Adapted(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base, self.a, self.b = base, nn.Parameter(torch.randn(3, 4)), nn.Parameter(torch.zeros(4, 2))

    def forward(self, x):
        return self.base(x) + x @ self.a @ self.b

body, x = nn.Linear(3, 2), torch.randn(5, 3)
opt = torch.optim.SGD(body.parameters(), 0.1)  # <--
net = Adapted(body)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='unregistered', cut_line=None, no_grad=[], raises=None, zero=['net.a'], fix=(14, 'net = Adapted(body); nn.init.ones_(net.b); opt = torch.optim.SGD(net.parameters(), 0.1)'))
