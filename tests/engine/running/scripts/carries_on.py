"""Its bare except and its finally must not keep it from ending, nor the report from coming."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for step in range(5):
    try:
        loss = net(torch.randn(4, 3)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    except:
        print("swallowed")
    finally:
        print("after", step)
