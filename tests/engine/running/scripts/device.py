import torch
from torch import nn

torch.set_default_device("cpu")
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), 0.1)
for i in range(4):
    with torch.device("cpu"):
        x = torch.randn(4, 3)
        loss = net(x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(i, loss.item())
torch.set_default_device("cpu")
