import os
import sys
from contextlib import nullcontext

import torch
from torch import distributed, nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

wrong = sys.argv[1]
distributed.init_process_group("gloo")
rank = distributed.get_rank()
torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.extra, self.head = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)

    def forward(self, x):
        h = self.body(x).relu()
        if wrong == "detach" and rank == 0:
            h = h.detach()  # <-- detach
        if wrong != "unused" and (wrong != "branch" or x.mean() > 0):
            h = self.extra(h)  # <-- branch
        return self.head(h)


model = Net()
if wrong != "by hand":
    model = DistributedDataParallel(model, find_unused_parameters="find" in sys.argv)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with Join([model]) if wrong == "join" else nullcontext():
    for i in range(4):
        x = torch.rand(8, 3) - rank
        if rank == 1 and i == 1:
            if wrong == "raises":
                raise ValueError("a bad batch")
            if wrong in ("ends", "join"):
                break
            if wrong == "dies":
                os._exit(7)
        optimizer.zero_grad()
        loss = model(x).pow(2).mean()
        loss.backward()
        if wrong == "by hand":
            for parameter in model.parameters():
                distributed.all_reduce(parameter.grad)  # <-- by hand
        optimizer.step()
if rank == 0:
    print("trained", [parameter.sum().item().hex() for parameter in model.parameters()])
distributed.destroy_process_group()
