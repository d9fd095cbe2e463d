import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 2), torch.randn(8, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    off = net(x) - net(x)
    length = off.pow(2).sum(1).sqrt()
    loss = length.mean() + net(x).pow(2).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite=True)
    return loss

EXPECT = dict(kind='non_finite', cut_line=9, no_grad=[], raises=('RuntimeError', 'non-finite'), raises_in='step', raise_line=12,
              own_backward=True, fix=(9, 'length = (off.pow(2).sum(1) + 1e-9).sqrt()'))
