import torch
from torch import nn
torch.manual_seed(0)
import copy
q = nn.Linear(4, 2); tgt = copy.deepcopy(q)
for p in tgt.parameters(): p.requires_grad_(False)
opt = torch.optim.Adam(q.parameters(), 0.01)
s, s2, r = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8)

def step():
    target = r + 0.9 * tgt(s2).max(1).values
    loss = (q(s)[:, 0] - target).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    for p, t in zip(q.parameters(), tgt.parameters()):
        t.data.copy_(0.99 * t.data + 0.01 * p.data)
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=['p', 'tgt.weight', 'tgt.bias'], raises=None, ok=True, own_backward=True, calls=3)
