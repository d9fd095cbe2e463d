import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
data = [(torch.randn(4, 4), torch.randn(4, 1)) for _ in range(3)]

def step():
    opt.zero_grad()
    total = 0.0
    for x, y in data:
        loss = F.mse_loss(net(x), y) / len(data)
        loss.backward()
        total += loss.item()
    opt.step()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, own_backward=True, calls=3, ok=True)
