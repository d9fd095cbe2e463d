import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
enc, head = nn.Linear(3, 4), nn.Linear(4, 1)
oe, oh = torch.optim.SGD(enc.parameters(), 0.1), torch.optim.SGD(head.parameters(), 0.1)

def step():
    oe.zero_grad(); oh.zero_grad()
    loss = F.mse_loss(head(enc(x).detach()), y)
    loss.backward()
    oe.step(); oh.step()
    return loss

EXPECT = dict(kind='detach', cut_line=11, no_grad=['enc.weight', 'enc.bias'], raises=None, own_backward=True)
