import torch
from torch import nn
torch.manual_seed(0)
net, x, log = nn.Linear(3, 4), torch.randn(8, 3), []
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    out = net(x)
    fit, size = (out - 1).pow(2).mean(), out.abs().mean()
    log.append(torch.tensor([fit, size]).mean())
    return fit + 0.1 * size

EXPECT = dict(kind='torch_tensor', cut_line=10, no_grad=[], raises=None, ok=True)
