import torch
from torch import nn
torch.manual_seed(0)
class Prior:
    def __init__(self):
        self.mean = torch.zeros(3, requires_grad=True)
        self.spread = torch.ones(3, requires_grad=True).double()

prior, x = Prior(), torch.randn(5, 3)
opt = torch.optim.Adam([prior.mean], 0.1)

def step():
    return ((x - prior.mean) / prior.spread).pow(2).mean() + prior.spread.log().sum()

EXPECT = dict(kind='non_leaf', cut_line=7, no_grad=[], raises=None, fix=(7, 'self.spread = torch.ones(3, dtype=torch.float64).requires_grad_()'))
