import torch
from torch import nn
torch.manual_seed(0)
net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
def penalty():
    with torch.enable_grad():
        return net.weight.pow(2).sum()
def step():
    with torch.no_grad():
        with torch.set_grad_enabled(True):
            extra = penalty()
        with torch.no_grad():
            scale = x.abs().max()
        hidden = net(x / scale)
    return head(hidden).pow(2).mean() + 0 * extra.item()

EXPECT = dict(kind='no_grad', cut_line=10, no_grad=['net.weight', 'net.bias'], raises=None,
              fix=(10, 'with torch.enable_grad():'))
