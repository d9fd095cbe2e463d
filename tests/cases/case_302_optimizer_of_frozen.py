import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)

class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16))
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(F.relu(self.backbone(x)))

m = M()
for name, p in m.named_parameters():
    if "backbone" not in name:
        p.requires_grad = False
opt = torch.optim.Adam(m.head.parameters(), lr=1e-3)
x, y = torch.randn(16, 8), torch.randint(0, 3, (16,))

def step():
    opt.zero_grad()
    loss = F.cross_entropy(m(x), y)
    loss.backward()
    opt.step()
    return loss


EXPECT = dict(kind='frozen', cut_line=19, no_grad=['m.head.weight','m.head.bias','p'], raises=None)
