import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 4), torch.randn(8, 3)

def step():
    image = net(x)
    loss = image.sum() + (image - 1).mean()
    image.detach().clamp_(0, 1)
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
