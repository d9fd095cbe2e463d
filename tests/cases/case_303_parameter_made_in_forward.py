import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__(); self.a = nn.Linear(4, 8); self.b = nn.Linear(8, 1)
    def forward(self, x):
        self.h = nn.Parameter(self.a(x))
        return self.b(self.h.relu())
net = Net(); opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(16, 4), torch.randn(16, 1)
def step():
    opt.zero_grad(); loss = (net(x) - y).pow(2).mean(); loss.backward(); opt.step()
    return loss


EXPECT = dict(kind='detach', cut_line=8, no_grad=['net.a.weight','net.a.bias'], raises=None)
