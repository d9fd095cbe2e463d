import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
gate = nn.Linear(4, 3); experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
opt = torch.optim.Adam([*gate.parameters(), *experts.parameters()])
x = torch.randn(32, 4)

def step():
    p = gate(x).softmax(-1)
    w, idx = p.topk(2, dim=-1)
    out = torch.zeros_like(x)
    for i, e in enumerate(experts):
        rows, slot = (idx == i).nonzero(as_tuple=True)
        out.index_add_(0, rows, w[rows, slot, None] * e(x[rows]))
    load = F.one_hot(idx[:, 0], 3).float().mean(0)
    return (out - x).pow(2).mean() + 0.01 * 3 * (load * p.mean(0)).sum()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
