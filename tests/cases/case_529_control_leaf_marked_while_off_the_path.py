import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 1), torch.randn(5, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    mean = x.mean()
    noise = torch.zeros(5, 3)
    noise = noise.normal_(generator=torch.Generator().manual_seed(0)).mul_(0.1)
    noise.requires_grad_()
    return net(x - mean + noise).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
