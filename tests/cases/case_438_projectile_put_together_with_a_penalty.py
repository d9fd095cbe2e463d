import torch
from torch import nn
torch.manual_seed(0)
aim, x = nn.Linear(3, 2), torch.randn(1, 3)
opt = torch.optim.SGD(aim.parameters(), 0.1)

def step():
    speed, tilt = aim(x)[0]
    landing = torch.tensor([speed * tilt.cos(), speed * tilt.sin()])
    miss = (landing - 1).pow(2).sum()
    return miss + 0.1 * speed ** 2 + 0.1 * tilt ** 2

EXPECT = dict(kind='torch_tensor', cut_line=9, no_grad=[], raises=None, wrong=['aim.weight', 'aim.bias'],
              fix=(9, 'landing = torch.stack([speed * tilt.cos(), speed * tilt.sin()])'))
