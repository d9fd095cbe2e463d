import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
class Meter:
    def __init__(self): self.values = {}
    def add(self, name, t):
        self.values[name] = t.detach()
        return self.values[name]
meter = Meter()
enc, head = nn.Linear(4, 8), nn.Linear(8, 2)
opt = torch.optim.Adam([*enc.parameters(), *head.parameters()])
x, y = torch.randn(6, 4), torch.randint(0, 2, (6,))

def step():
    h = meter.add('h', torch.relu(enc(x)))
    return F.cross_entropy(head(h), y)

EXPECT = dict(kind='detach', cut_line=8, no_grad=['enc.weight', 'enc.bias'], raises=None)
