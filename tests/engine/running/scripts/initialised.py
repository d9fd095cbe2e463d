import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
with torch.no_grad():
    net[0].weight.copy_(torch.randn(8, 3) * 0.3)
    net[2].bias.zero_()
    n = net(torch.zeros(1, 3)).numel()
opt = torch.optim.SGD(net.parameters(), 0.1)
for i in range(4):
    loss = net(torch.randn(4, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
