import torch
from torch import nn
torch.manual_seed(0)
body, one, two, x = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1), torch.randn(8, 3)
opt = torch.optim.SGD([*body.parameters(), *one.parameters(), *two.parameters()], 0.1)

def step():
    h = body(x).tanh()
    first, second = (one(h) - 1).pow(2).mean(), (two(h) + 1).pow(2).mean()
    weight = torch.tensor([first, second]).softmax(0)
    return weight[0] * first + weight[1] * second

EXPECT = dict(kind='torch_tensor', cut_line=10, no_grad=[], raises=None, ok=True)
