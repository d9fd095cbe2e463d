import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 4), torch.randn(8, 3)

def step():
    image = net(x)
    loss = image.pow(2).mean()
    image.data.clamp_(0, 0.1)
    return loss

EXPECT = dict(kind='data', cut_line=9, no_grad=[], raises=None, wrong=['net.weight', 'net.bias'],
              fix=(9, 'image = image.detach().clamp(0, 0.1)  # no .data here'))
