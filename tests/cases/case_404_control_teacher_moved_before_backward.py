import torch
from torch import nn

torch.manual_seed(0)
net, x = nn.Linear(3, 4), torch.randn(8, 3)
teacher = nn.Linear(3, 4).requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), 0.1)


def step():
    loss = (net(x) - teacher(x)).pow(2).mean()
    with torch.no_grad():
        teacher.weight.mul_(0.9).add_(net.weight, alpha=0.1)
        teacher.bias.data.lerp_(net.bias, 0.1)
    return loss


EXPECT = dict(kind="none", cut_line=None, no_grad=["teacher.weight", "teacher.bias"], raises=None, ok=True)
