import torch
from torch import nn
torch.manual_seed(0)
hyper, layer, code, x = nn.Linear(2, 6), nn.Linear(3, 2), torch.randn(2), torch.randn(8, 3)

def step():
    weight = hyper(code).view(2, 3)
    layer.weight = weight
    return layer(x).pow(2).mean()

EXPECT = dict(kind='non_leaf', cut_line=None, no_grad=['hyper.weight'], raises=('TypeError', 'cannot assign'), raises_in='step', raise_line=8,
              fix=(8, 'return nn.functional.linear(x, weight, layer.bias).pow(2).mean()'), still_none=['layer.weight'])
