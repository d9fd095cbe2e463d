import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 4), torch.randn(8, 3)
scale = nn.Parameter(torch.ones(4))
opt = torch.optim.SGD([*net.parameters(), scale], 0.1)

def step():
    loss = (scale * net(x)).mean()
    scale.data.mul_(0.5)
    return loss

EXPECT = dict(kind='data', cut_line=10, no_grad=[], raises=None, wrong=['net.weight', 'net.bias'],
              fix=(10, 'scale.detach().clone().mul_(0.5)'))
