"""Compiles with a backend that counts: what is compiled after the recorded step is compiled as ever."""

import torch
from torch import nn
made = []
def backend(graph, inputs):
    made.append(1)
    return graph
net = nn.Linear(2, 1)
compiled = torch.compile(net, backend=backend)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    compiled(torch.ones(3, 2)).sum().backward()
    optimizer.step()
print(len(made))
