import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
emb, head = nn.Embedding(5, 3, padding_idx=0), nn.Linear(3, 1)
bag = nn.EmbeddingBag(5, 3, padding_idx=0)
with torch.no_grad():
    head.weight[0].fill_(0.5)
    head.weight[0].zero_()
    head.weight[0].add_(0.1)
i = torch.tensor([[1, 2], [0, 3]])

def step():
    with torch.no_grad():
        head.bias[0].fill_(0.1)
    return head(emb(i).mean(1) + bag(i)).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
