import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__(); self.ws = torch.zeros(3, requires_grad=True); self.ls = nn.ModuleList([nn.Linear(4, 1) for _ in range(3)])
    def forward(self, x):
        return (self.ws.softmax(0) * torch.cat([l(x) for l in self.ls], 1)).sum(1, keepdim=True)
net = Net(); opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(16, 4), torch.randn(16, 1)
def step():
    opt.zero_grad(); loss = (net(x) - y).pow(2).mean(); loss.backward(); opt.step()
    return loss


EXPECT = dict(kind='unregistered', cut_line=None, no_grad=[], raises=None)
