import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
policy, emb, out = nn.Linear(4, 6), nn.Embedding(6, 3), nn.Linear(3, 1)
opt = torch.optim.Adam([*policy.parameters(), *emb.parameters(), *out.parameters()])
x = torch.randn(5, 4)

def step():
    probs = policy(x).softmax(-1)
    token = torch.multinomial(probs, 1).squeeze(-1)
    return out(emb(token)).pow(2).mean()

EXPECT = dict(kind='integer', cut_line=11, no_grad=['policy.weight', 'policy.bias'], raises=None)
