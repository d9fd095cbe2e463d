import torch
from torch import nn
torch.manual_seed(0)
net, head = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(8, 4)
def step():
    loss = head(net(x).detach()).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    return torch.stack([loss.detach(), net(x).mean().detach()]).sum()

EXPECT = dict(kind='detach', cut_line=8, no_grad=['net.weight', 'net.bias'], raises=None, fix=(8, 'loss = head(net(x)).pow(2).mean()'), own_backward=True)
