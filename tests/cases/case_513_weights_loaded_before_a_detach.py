import torch
from torch import nn
torch.manual_seed(0)
net, head = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(8, 4)
def step():
    net.load_state_dict({k: v * 0.9 for k, v in net.state_dict().items()})
    h = net(x).detach()
    return head(h).pow(2).mean()

EXPECT = dict(kind='detach', cut_line=9, no_grad=['net.weight', 'net.bias'], raises=None, fix=(9, 'h = net(x)'))
