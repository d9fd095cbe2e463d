import torch
from torch import nn
torch.manual_seed(0)
net, head = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(8, 4)
def step():
    a = head(net(x).detach()).pow(2).mean()
    a.backward()
    b = head(x).abs().mean()
    b.backward()
    opt.step()
    return (a + b).detach()

EXPECT = dict(kind='detach', cut_line=8, no_grad=['net.weight', 'net.bias'], raises=None, own_backward=True, fix=(8, 'a = head(net(x)).pow(2).mean(); net.requires_grad_(True)'))
