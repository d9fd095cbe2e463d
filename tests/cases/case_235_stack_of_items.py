import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(4, 1); scale = nn.Parameter(torch.ones(1))
opt = torch.optim.SGD([*net.parameters(), scale], 0.1)
x = torch.randn(5, 4)

def step():
    scores = [net(row).item() for row in x]
    return (scale * torch.tensor(scores)).pow(2).sum()

EXPECT = dict(kind='item', cut_line=10, no_grad=['net.weight', 'net.bias'], raises=None)
