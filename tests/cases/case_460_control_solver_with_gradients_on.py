import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 2), torch.randn(8, 3)

class Slope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        with torch.enable_grad():
            inside = value.detach().requires_grad_()
            return torch.autograd.grad(inside.pow(3).sum(), inside)[0]

    @staticmethod
    def backward(ctx, g):
        return 6 * g

def step():
    return Slope.apply(net(x)).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
