import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
cell, out = nn.GRUCell(3, 4), nn.Linear(4, 1)
init = nn.Parameter(torch.zeros(1, 4))
opt = torch.optim.Adam([*cell.parameters(), *out.parameters(), init])
xs = torch.randn(5, 2, 3)

def step():
    h = init.expand(2, 4)
    for x in xs:
        h = cell(x, h.detach())
    return out(h).pow(2).mean()

EXPECT = dict(kind='detach', cut_line=13, no_grad=['init'], raises=None)
