import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(1, 1), torch.linspace(-1, 2, 8).unsqueeze(1)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    z = 600 * net(x)
    return torch.where(z <= 0, z.clamp(max=0).exp() - 1, z).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
