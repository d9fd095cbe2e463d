import torch
from torch import nn
torch.manual_seed(0)
temp, net, x = nn.Parameter(torch.tensor(2.0)), nn.Linear(3, 4), torch.randn(8, 3)

def step():
    t = temp.exp().item()
    return (net(x) / t).softmax(1)[:, 0].log().mean()

EXPECT = dict(kind='item', cut_line=7, no_grad=['temp'], raises=None,
              fix=(7, 't = temp.exp()'))
