import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 1), torch.randn(5, 3)

def step():
    out = net(x)
    x.requires_grad = True
    (slope,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    return out.mean() + slope.pow(2).mean()

EXPECT = dict(kind='frozen', cut_line=8, no_grad=[], raises=('RuntimeError', 'not have been used in the graph'), raises_in='step', raise_line=9,
              fix=(8, 'x.requires_grad = True; out = net(x).tanh()'))
