import torch
from torch import nn
torch.manual_seed(0)
net, head, x = nn.Linear(3, 4), nn.Linear(5, 1), torch.randn(8, 3)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], 0.1)

def step():
    counts = torch.histc(net(x), bins=5, min=-1.0, max=1.0)
    return head(counts).pow(2).mean()

EXPECT = dict(kind='integer', cut_line=None, no_grad=['net.weight', 'net.bias'], raises=None,
              fix=(8, 'counts = (-(net(x).reshape(-1, 1) - torch.linspace(-1, 1, 5)).pow(2)).exp().sum(0)'))
