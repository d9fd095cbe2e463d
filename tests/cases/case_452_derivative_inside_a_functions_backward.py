import torch
from torch import nn
torch.manual_seed(0)
w, x = nn.Parameter(torch.randn(3)), torch.randn(8, 3)

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        ctx.save_for_backward(value)
        return value ** 3

    @staticmethod
    def backward(ctx, g):
        value = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.set_grad_enabled(False):
            return torch.autograd.grad(value ** 3, value, g)[0]

def step():
    return Cube.apply(x * w).mean()

EXPECT = dict(kind='custom_function', cut_line=None, no_grad=['w'], raises=('RuntimeError', 'does not require grad'),
              raises_in='backward', raise_line=16, fix=(15, 'with torch.enable_grad():'))
