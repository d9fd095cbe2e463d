import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 2), torch.randn(8, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    with torch.autograd.set_detect_anomaly(True):
        off = net(x) - net(x)
        length = off.pow(2).sum(1).sqrt()
        loss = length.mean() + net(x).pow(2).mean()
        loss.backward()
    return loss

EXPECT = dict(kind='non_finite', cut_line=10, no_grad=['net.weight', 'net.bias'], raises=('RuntimeError', 'returned nan values'),
              raises_in='step', raise_line=12, own_backward=True, fix=(10, 'length = (off.pow(2).sum(1) + 1e-9).sqrt()'))
