import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(4, 2), torch.randn(5, 4)

def step():
    q = net(x)
    best = torch.tensor([row.max() for row in q])
    return (q[:, 0] - best).pow(2).mean()

EXPECT = dict(kind='torch_tensor', cut_line=8, no_grad=[], raises=None, ok=True)
