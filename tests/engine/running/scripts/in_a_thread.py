import threading

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))


def train():
    opt = torch.optim.SGD(net.parameters(), 0.1)
    for i in range(4):
        loss = net[2](net[1](net[0](torch.randn(4, 3))).detach()).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


t = threading.Thread(target=train)
t.start()
t.join()
print("joined")
