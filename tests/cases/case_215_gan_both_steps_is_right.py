import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)); D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
real = torch.randn(8, 2)
bce = nn.BCEWithLogitsLoss()

def step():
    fake = G(torch.randn(8, 3))
    od.zero_grad()
    d_loss = bce(D(real), torch.ones(8, 1)) + bce(D(fake.detach()), torch.zeros(8, 1))
    d_loss.backward(); od.step()
    og.zero_grad()
    g_loss = bce(D(fake), torch.ones(8, 1))
    g_loss.backward(); og.step()
    return g_loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, own_backward=True, calls=2, ok=True)
