import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 4), torch.ones(8, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    h = net(x)
    centred = h - h.mean(0)
    spread = centred.pow(2).mean(0).sqrt()
    return (1 - spread).clamp(min=0).mean() + h.pow(2).mean()

EXPECT = dict(kind='non_finite', cut_line=10, no_grad=[], raises=None, wrong=['net.weight', 'net.bias'],
              fix=(10, 'spread = (centred.pow(2).mean(0) + 1e-4).sqrt()'))
