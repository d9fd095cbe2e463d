import torch
from torch import nn
torch.manual_seed(0)
class Adapted(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base, self.down, self.up = base.requires_grad_(False), nn.Linear(4, 2, bias=False), nn.Linear(2, 4, bias=False)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))

net, x = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)), torch.randn(5, 4)
opt = torch.optim.AdamW(net.parameters(), 0.1)  # <--
net.requires_grad_(False)
net[0] = Adapted(net[0])

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='unregistered', cut_line=None, raises=None, no_grad=['net.0.base.weight', 'net.0.base.bias', 'net.2.weight', 'net.2.bias'],
              still_none=['net.0.base.weight', 'net.0.base.bias', 'net.2.weight', 'net.2.bias'],
              fix=(15, 'net[0] = Adapted(net[0]); opt = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], 0.1)'))
