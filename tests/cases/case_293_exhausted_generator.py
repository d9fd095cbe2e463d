import torch
from torch import nn
torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(4, 8), nn.ReLU()), nn.Linear(8, 1)
bp = body.parameters()
print("params:", sum(p.numel() for p in bp))
opt = torch.optim.Adam([{"params": bp, "lr": 1e-4}, {"params": head.parameters()}], lr=1e-2)
x, y = torch.randn(16, 4), torch.randn(16, 1)
def step():
    opt.zero_grad(); loss = (head(body(x)) - y).pow(2).mean(); loss.backward(); opt.step()
    return loss


EXPECT = dict(kind='stale_optimizer', cut_line=7, no_grad=[], raises=None)
