import torch
from torch import nn
torch.manual_seed(0)
class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.state = nn.GRUCell(3, 4), torch.zeros(5, 4)

    def forward(self, x):
        out = self.cell(x, self.state)
        self.state = out.detach()
        return out

net, x = Memory(), torch.randn(5, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, calls=2)
