import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
mha, proj = nn.MultiheadAttention(8, 2, batch_first=True), nn.Linear(8, 8)
gate = nn.Linear(8, 1)
opt = torch.optim.Adam([*mha.parameters(), *proj.parameters(), *gate.parameters()])
x = torch.randn(2, 5, 8)

def step():
    m = torch.as_tensor(gate(x).squeeze(-1).tolist()) > 0
    h, w = mha(x, x, proj(x), key_padding_mask=m & (torch.arange(5) > 0))
    return h.pow(2).mean()

EXPECT = dict(kind='torch_tensor', cut_line=11, no_grad=['gate.weight', 'gate.bias'], raises=None)
