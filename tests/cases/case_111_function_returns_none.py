import torch
from torch import nn
torch.manual_seed(0)
enc, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, k):
        return a * k

    @staticmethod
    def backward(ctx, g):
        return None, None

def step():
    h = enc(x)
    return head(Scale.apply(h, 2.0)).pow(2).mean()

EXPECT = dict(kind='custom_function', cut_line=9, no_grad=['enc.weight', 'enc.bias'], raises=None)
