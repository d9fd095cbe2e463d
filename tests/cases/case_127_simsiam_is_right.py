import torch
from torch import nn
torch.manual_seed(0)
enc, pred = nn.Linear(5, 4), nn.Linear(4, 4)
v1, v2 = torch.randn(8, 5), torch.randn(8, 5)

def step():
    z1, z2 = enc(v1), enc(v2)
    cos = nn.functional.cosine_similarity
    return -(cos(pred(z1), z2.detach()).mean() + cos(pred(z2), z1.detach()).mean()) / 2

EXPECT = dict(kind='detach', cut_line=10, no_grad=[], raises=None, ok=True)
