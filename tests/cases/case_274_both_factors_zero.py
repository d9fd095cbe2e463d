import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
a, b = nn.Parameter(torch.zeros(3, 2)), nn.Parameter(torch.zeros(2, 1))
opt = torch.optim.SGD([a, b], 0.1)

def step():
    return F.mse_loss(x @ a @ b, y)

EXPECT = dict(kind='zero_op', cut_line=10, no_grad=[], zero=['a', 'b'], raises=None)
