import torch
from torch import nn
torch.manual_seed(0)
qkv, x = nn.Linear(4, 12), torch.randn(2, 5, 4)
mask = torch.full((5, 5), float('-inf')).triu(0)
opt = torch.optim.SGD(qkv.parameters(), 0.1)

def step():
    q, k, v = qkv(x).chunk(3, -1)
    score = q @ k.transpose(1, 2) + mask
    weight = score.softmax(-1)
    out = weight @ v
    return out[:, 1:].pow(2).mean()

EXPECT = dict(kind='non_finite', cut_line=11, no_grad=[], raises=None, wrong=['qkv.weight', 'qkv.bias'],
              fix=(11, 'weight = score.clamp(min=-1e9).softmax(-1)'))
