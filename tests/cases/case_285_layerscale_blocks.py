import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm, self.fc = nn.LayerNorm(d), nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, d))
        self.gamma = nn.Parameter(torch.zeros(d))
    def forward(self, h):
        return h + self.gamma * self.fc(self.norm(h))
net = nn.Sequential(nn.Linear(3, 64), Block(64), Block(64), nn.Linear(64, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], zero=["net.1.norm.weight","net.1.norm.bias","net.1.fc.0.weight","net.1.fc.0.bias","net.1.fc.2.weight","net.1.fc.2.bias","net.2.norm.weight","net.2.norm.bias","net.2.fc.0.weight","net.2.fc.0.bias","net.2.fc.2.weight","net.2.fc.2.bias"], raises=None, ok=True, own_backward=True)
