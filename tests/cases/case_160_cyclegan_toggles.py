import torch
from torch import nn
torch.manual_seed(0)
G, D, x = nn.Linear(3, 3), nn.Linear(3, 1), torch.randn(8, 3)
opt_g, opt_d = torch.optim.Adam(G.parameters(), 0.1), torch.optim.Adam(D.parameters(), 0.1)

def step():
    D.requires_grad_(False)
    loss = (1 - D(G(x))).pow(2).mean()
    loss.backward()
    opt_g.step()
    opt_g.zero_grad()
    D.requires_grad_(True)
    opt_d.zero_grad()
    loss_d = D(G(x).detach()).pow(2).mean() + (1 - D(x)).pow(2).mean()
    loss_d.backward()
    opt_d.step()
    return loss_d

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
