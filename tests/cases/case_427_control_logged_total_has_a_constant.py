import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4)
def step():
    out = net(x)
    loss = out.pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    return loss + 0.1 * out.detach().abs().mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
