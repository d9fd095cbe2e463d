import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
class Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b):
        ctx.save_for_backward(x, w)
        return x @ w + b  # <--
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w.T, x.T @ g, None
w, b = nn.Parameter(torch.randn(4, 2)), nn.Parameter(torch.zeros(2))
opt = torch.optim.SGD([w, b], 0.1)
x, y = torch.randn(6, 4), torch.randn(6, 2)

def step():
    return F.mse_loss(Affine.apply(x, w, b), y)

EXPECT = dict(kind='custom_function', cut_line=None, no_grad=['b'], raises=None)
