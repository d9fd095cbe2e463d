import torch
from torch import nn
torch.manual_seed(0)
import copy
online = nn.Sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 4))
teacher = copy.deepcopy(online).requires_grad_(False)
opt = torch.optim.SGD(online.parameters(), 0.1)
v1, v2 = torch.randn(8, 5), torch.randn(8, 5)

def step():
    opt.zero_grad()
    loss = (online(v1) - teacher(v2)).pow(2).mean()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(teacher.parameters(), online.parameters()):
            p.mul_(0.9).add_(q, alpha=0.1)
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=['teacher.0.weight', 'teacher.0.bias', 'teacher.2.weight', 'teacher.2.bias'], raises=None, ok=True, own_backward=True, calls=3)
