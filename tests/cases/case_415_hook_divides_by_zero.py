import torch
from torch import nn
torch.manual_seed(0)
net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], 0.1)

def step():
    h = net(x)
    spread = torch.zeros(())
    h.register_hook(lambda g: g / spread)
    return head(h.tanh()).pow(2).mean()

EXPECT = dict(kind='non_finite', cut_line=10, no_grad=[], raises=None, wrong=['net.weight', 'net.bias'],
              fix=(10, 'h.register_hook(lambda g: g / (spread + 1))'))
