import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
emb, out = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
out.weight = emb.weight
opt = torch.optim.SGD(emb.parameters(), 0.1)
for p in emb.parameters():
    p.data.mul_(0.5)
i = torch.tensor([1, 2, 3])

def step():
    return F.cross_entropy(out(emb(i)), i)

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
