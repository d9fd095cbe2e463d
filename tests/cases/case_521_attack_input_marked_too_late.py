import torch
from torch import nn
torch.manual_seed(0)
net, data, y = nn.Linear(3, 2), torch.randn(5, 3), torch.tensor([0, 1, 0, 1, 1])

def step():
    x = data.clone()
    loss = nn.functional.cross_entropy(net(x), y)
    x.requires_grad_(True)
    loss.backward()
    bad = (x + 0.1 * x.grad.sign()).detach()
    return nn.functional.cross_entropy(net(bad), y)

EXPECT = dict(kind='frozen', cut_line=9, no_grad=[], raises=('AttributeError', 'NoneType'), raises_in='step', raise_line=11,
              fix=(9, 'x.requires_grad_(True); loss = nn.functional.cross_entropy(net(x), y)'))
