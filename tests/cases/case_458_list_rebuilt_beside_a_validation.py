import torch
from torch import nn
torch.manual_seed(0)
net, head = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(8, 4)
def step():
    h = torch.tensor([row.tolist() for row in net(x)])
    loss = head(h).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    return head(net(x)).detach().pow(2).mean()

EXPECT = dict(kind='torch_tensor', cut_line=8, no_grad=['net.weight', 'net.bias'], raises=None, fix=(8, 'h = net(x)'), own_backward=True)
