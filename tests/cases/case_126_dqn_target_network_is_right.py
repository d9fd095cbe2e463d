import torch
from torch import nn
torch.manual_seed(0)
import copy
q = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
target = copy.deepcopy(q)
s, s2, r = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8)

def step():
    with torch.no_grad():
        goal = r + 0.9 * target(s2).max(1).values
    got = q(s).gather(1, q(s).argmax(1, keepdim=True)).squeeze(1)
    return nn.functional.smooth_l1_loss(got, goal)

EXPECT = dict(kind='no_grad', cut_line=10, no_grad=['target.0.weight', 'target.0.bias', 'target.2.weight', 'target.2.bias'], raises=None, ok=True)
