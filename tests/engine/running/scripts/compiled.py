import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
cnet = torch.compile(net, backend="eager")
opt = torch.optim.SGD(cnet.parameters(), .1)
@torch.compile(backend="eager")
def lossf(p, y): return (p - y).pow(2).mean()
for i in range(4):
    x = torch.randn(8, 3); l = lossf(cnet(x), x[:, :1]); opt.zero_grad(); l.backward(); opt.step(); print(l.item())
