import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(net.parameters())
x, y, xv, yv = torch.randn(8, 4), torch.randint(0, 2, (8,)), torch.randn(8, 4), torch.randint(0, 2, (8,))
best = {'acc': 0.0, 'state': None}

@torch.no_grad()
def evaluate():
    net.eval()
    acc = (net(xv).argmax(-1) == yv).float().mean()
    net.train()
    return acc

def step():
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward(); opt.step()
    acc = evaluate()
    if acc.item() >= best['acc']:
        best['acc'] = acc.item()
        best['state'] = {k: v.detach().clone() for k, v in net.state_dict().items()}
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, own_backward=True, calls=3, ok=True)
