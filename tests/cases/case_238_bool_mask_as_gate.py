import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
gate, net = nn.Linear(4, 1), nn.Linear(4, 2)
opt = torch.optim.SGD([*gate.parameters(), *net.parameters()], 0.1)
x, y = torch.randn(6, 4), torch.randn(6, 2)

def step():
    keep = torch.sigmoid(gate(x)) > 0.5
    return F.mse_loss(net(x) * keep.float(), y)

EXPECT = dict(kind='integer', cut_line=10, no_grad=['gate.weight', 'gate.bias'], raises=None)
