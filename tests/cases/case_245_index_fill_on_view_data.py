import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(4, 4)
opt = torch.optim.SGD(net.parameters(), 0.1)
x = torch.randn(6, 4)

def step():
    h = torch.tanh(net(x))
    h.detach().index_fill_(1, torch.tensor([0]), 0.0)
    return h.sum()

EXPECT = dict(kind='inplace', cut_line=11, no_grad=[], raises=('RuntimeError', 'modified by an inplace'), raises_in='backward')
