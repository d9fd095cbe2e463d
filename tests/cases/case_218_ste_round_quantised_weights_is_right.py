import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
class QLinear(nn.Linear):
    def forward(self, x):
        scale = self.weight.detach().abs().max() / 7
        q = torch.round(self.weight / scale) * scale
        w = self.weight + (q - self.weight).detach()
        return F.linear(x, w, self.bias)
net = nn.Sequential(QLinear(4, 8), nn.ReLU(), QLinear(8, 1))
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(6, 4), torch.randn(6, 1)

def step():
    return F.mse_loss(net(x), y)

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
