import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
class Lora(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base = base
        self.A = nn.Parameter(torch.randn(r, base.in_features)); self.B = nn.Parameter(torch.randn(base.out_features, r))
    def forward(self, x):
        delta = (self.B @ self.A).data
        return F.linear(x, self.base.weight + delta, self.base.bias)
net = Lora(nn.Linear(4, 3))
for p in net.base.parameters(): p.requires_grad_(False)
head = nn.Linear(3, 1)
opt = torch.optim.Adam([net.A, net.B, *head.parameters()])
x = torch.randn(5, 4)

def step():
    return head(net(x)).pow(2).mean()

EXPECT = dict(kind='data', cut_line=11, no_grad=['net.A', 'net.B', 'net.base.weight', 'net.base.bias', 'p'], raises=None)
