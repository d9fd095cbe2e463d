import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.randn(20, 3)
y = x.sum(1, keepdim=True)
opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=4)


def closure():
    opt.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    return loss


for i in range(4):
    print(i, float(opt.step(closure)))
