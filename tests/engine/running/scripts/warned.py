"""Torch warns of several lines, of some at each step, of some in a function of its own; each is said once a line."""

import warnings

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
measure = nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("default")
    for _ in range(4):
        x = torch.randn(8, 3)
        optimizer.zero_grad()
        loss = measure(net(x), torch.ones(8)) + nn.functional.mse_loss(net(x), torch.ones(8))
        loss.backward()
        torch.tensor(loss)
        torch.tensor(loss)
        float(loss)
        warnings.warn("of the script's own", stacklevel=1)
        optimizer.step()
for one in said:
    print(one.filename, one.lineno, one.category.__name__, str(one.message)[:40])
warnings.simplefilter("once")
with warnings.catch_warnings(record=True) as said:
    for _ in range(3):
        torch.tensor(net.weight)
        torch.tensor(net.weight)
print([one.lineno for one in said])
