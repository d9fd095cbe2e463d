import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))
head = nn.Linear(3, 1)
opt = torch.optim.SGD([*layers.parameters(), *head.parameters()], 0.1)
turn = [0]

def step():
    h = x
    turn[0] += 1
    for i, layer in enumerate(layers):
        if i != turn[0] % 3:
            h = h + layer(h)
    return F.mse_loss(head(h), y)

EXPECT = dict(kind='none', cut_line=None, no_grad=['layers.1.weight', 'layers.1.bias'], raises=None, ok=True, calls=4)
