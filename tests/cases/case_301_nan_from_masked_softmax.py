import torch
from torch import nn
torch.manual_seed(0)
qkv = nn.Linear(8, 24)
opt = torch.optim.Adam(qkv.parameters(), lr=1e-3)
x = torch.randn(2, 5, 8)
pad = torch.zeros(2, 5, dtype=torch.bool); pad[1] = True

def step():
    opt.zero_grad()
    q, k, v = qkv(x).chunk(3, -1)
    s = (q @ k.transpose(1, 2)).masked_fill(pad[:, None], float("-inf"))
    a = s.softmax(-1)
    h = a @ v
    loss = h[~pad].pow(2).mean()
    loss.backward()
    opt.step()
    return loss


EXPECT = dict(kind='non_finite', cut_line=13, no_grad=[], raises=None)
