import torch
from torch import distributed as dist, nn
from torch.utils.checkpoint import checkpoint
torch.manual_seed(0)
dist.init_process_group('gloo', store=dist.HashStore(), rank=0, world_size=1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.deep, self.head = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)
    def forward(self, x):
        return self.head(checkpoint(self.deep, self.body(x), use_reentrant=True))
net, x = nn.parallel.DistributedDataParallel(Net()), torch.randn(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

def step():
    optimizer.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    optimizer.step()
    return loss
EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True, calls=2)
