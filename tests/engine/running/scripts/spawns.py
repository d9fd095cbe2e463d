import torch
import torch.multiprocessing as mp
from torch import nn


def work(rank, queue):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(3):
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    queue.put(rank)


if __name__ == "__main__":
    queue = mp.get_context("spawn").SimpleQueue()
    mp.spawn(work, (queue,), nprocs=1)
    print("worked", queue.get())
    net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(3):
        optimizer.zero_grad()
        net[1](net[0](torch.randn(5, 3)).detach()).sum().backward()
        optimizer.step()
