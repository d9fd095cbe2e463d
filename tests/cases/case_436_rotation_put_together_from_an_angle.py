import torch
from torch import nn
torch.manual_seed(0)
angle, net, x = nn.Parameter(torch.tensor(0.3)), nn.Linear(3, 2), torch.randn(8, 3)

def step():
    c, s = angle.cos(), angle.sin()
    turn = torch.tensor([[c, -s], [s, c]])
    return (net(x) @ turn - 1).pow(2).mean() + 0.01 * angle ** 2

EXPECT = dict(kind='torch_tensor', cut_line=8, no_grad=[], raises=None, wrong=['angle'],
              fix=(8, 'turn = torch.stack([torch.stack([c, -s]), torch.stack([s, c])])'))
