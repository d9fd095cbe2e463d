import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), 0.1)
for i in range(16):
    loss = net(torch.randn(4, 3)).pow(2).mean() / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
        print(i, loss.item())
