import torch
import torch.distributed as dist
from torch import nn
torch.manual_seed(0)
dist.init_process_group('gloo', store=dist.HashStore(), rank=0, world_size=1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.side = nn.Linear(3, 2), nn.Linear(2, 2)

    def forward(self, x):
        h = self.body(x)
        aux = self.side(h)
        return h

net, x = nn.parallel.DistributedDataParallel(Net()), torch.randn(4, 3)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='not_in_graph', cut_line=14, no_grad=['net.module.side.weight', 'net.module.side.bias'], calls=2,
              raises=('RuntimeError', 'Expected to have finished reduction'), raises_in='step', raise_line=20, fix=(14, 'h = self.side(h)'))
