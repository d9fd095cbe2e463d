import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
key = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
key.load_state_dict(enc.state_dict())
for p in key.parameters(): p.requires_grad = False
queue = F.normalize(torch.randn(4, 32), dim=0)
opt = torch.optim.SGD(enc.parameters(), 0.05)
x = torch.randn(8, 6)
at = 0

def step():
    global at
    q = F.normalize(enc(x), dim=1)
    with torch.no_grad():
        for k, e in zip(key.parameters(), enc.parameters()):
            k.data = k.data * 0.99 + e.data * 0.01
        k = F.normalize(key(x + 0.1), dim=1)
    pos = torch.einsum('nc,nc->n', q, k).unsqueeze(-1)
    neg = torch.einsum('nc,ck->nk', q, queue.clone().detach())
    logits = torch.cat([pos, neg], dim=1) / 0.1
    loss = F.cross_entropy(logits, torch.zeros(len(x), dtype=torch.long))
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        queue[:, at:at + 8] = k.T
    at = (at + 8) % 32
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=['p', 'key.0.weight', 'key.0.bias', 'key.2.weight', 'key.2.bias'], raises=None, own_backward=True, calls=3, ok=True)
