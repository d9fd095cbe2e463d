import torch
from torch import nn
torch.manual_seed(0)
import copy
net, x, y = nn.Linear(3, 1), torch.randn(8, 3), torch.randn(8, 1)

def step():
    fast = copy.deepcopy(net)
    inner = (fast(x) - y).pow(2).mean()
    grads = torch.autograd.grad(inner, fast.parameters())
    for p, g in zip(fast.parameters(), grads):
        p.data -= 0.1 * g
    return (fast(x) - y).pow(2).mean()

EXPECT = dict(kind='deepcopy', cut_line=8, no_grad=['net.weight', 'net.bias'], raises=None)
