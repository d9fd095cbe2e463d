import torch
from torch import nn
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8)
w = torch.zeros(3, requires_grad=True)

def step():
    global w
    loss = (x @ w - y).pow(2).mean()
    loss.backward()
    w = w - 0.1 * w.grad
    return loss

EXPECT = dict(kind='non_leaf', cut_line=11, no_grad=[], raises=('TypeError', "'float' and 'NoneType'"), raises_in='step', calls=2, own_backward=True,
              raise_line=11, fix=(11, 'w = (w - 0.1 * w.grad).detach().requires_grad_()'))
