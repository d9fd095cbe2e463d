import os

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)


def one():
    loss = net(torch.randn(4, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()


one()
pid = os.fork()
for i in range(4):
    one()
if pid:
    os.waitpid(pid, 0)
print("end of", "parent" if pid else "child")
