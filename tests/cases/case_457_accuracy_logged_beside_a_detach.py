import torch
from torch import nn
torch.manual_seed(0)
net, head = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(8, 4)
def step():
    out = head(net(x).detach())
    loss = out.pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        seen = (head(net(x)) > 0).float().mean()
    return loss.detach() + 0 * seen

EXPECT = dict(kind='detach', cut_line=8, no_grad=['net.weight', 'net.bias'], raises=None, fix=(8, 'out = head(net(x))'), own_backward=True)
