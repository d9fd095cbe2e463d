import torch
from torch import nn
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
params = {'w': torch.randn(3, 1, requires_grad=True) / 3 ** 0.5, 'b': torch.zeros(1, requires_grad=True)}

def step():
    return (x @ params['w'] + params['b'] - y).pow(2).mean()

EXPECT = dict(kind='non_leaf', cut_line=5, no_grad=[], raises=None,
              fix=(5, "params = {'w': (torch.randn(3, 1) / 3 ** 0.5).requires_grad_(), 'b': torch.zeros(1, requires_grad=True)}"))
