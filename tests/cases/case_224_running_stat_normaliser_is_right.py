import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('mean', torch.zeros(4)); self.scale = nn.Parameter(torch.ones(4))
    def forward(self, x):
        if self.training:
            with torch.no_grad():
                self.mean.lerp_(x.mean(0), 0.1)
        return (x - self.mean) * self.scale
net = nn.Sequential(nn.Linear(4, 4), Norm(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(8, 4), torch.randn(8, 1)

def step():
    return F.mse_loss(net(x), y)

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, calls=2, ok=True)
