import torch
from torch import nn
torch.manual_seed(0)
net, head = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(8, 4)
def step():
    h = torch.from_numpy(net(x).detach().numpy())
    loss = head(h).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    return loss.detach() * 1.0

EXPECT = dict(kind='numpy', cut_line=8, no_grad=['net.weight', 'net.bias'], raises=None, fix=(8, 'h = net(x)'), own_backward=True)
