import torch
from torch import nn
torch.manual_seed(0)
enc, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)

class Hard(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        out = (a > 0).float()
        ctx.mark_non_differentiable(out)
        return out

    @staticmethod
    def backward(ctx, g):
        return g

def step():
    h = enc(x)
    return head(Hard.apply(h)).pow(2).mean()

EXPECT = dict(kind='custom_function', cut_line=9, no_grad=['enc.weight', 'enc.bias'], raises=None)
