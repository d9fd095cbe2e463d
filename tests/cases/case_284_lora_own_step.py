import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
class LoRA(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        self.drop = nn.Dropout(0.1)
    def forward(self, x):
        return self.base(x) + 2.0 * F.linear(F.linear(self.drop(x), self.A), self.B)
net = nn.Sequential(LoRA(nn.Linear(3, 16)), nn.ReLU(), LoRA(nn.Linear(16, 1)))
opt = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], 0.1)

def step():
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=['net.0.base.weight','net.0.base.bias','net.2.base.weight','net.2.base.bias'], zero=['net.0.A', 'net.2.A'], raises=None, ok=True, own_backward=True)
