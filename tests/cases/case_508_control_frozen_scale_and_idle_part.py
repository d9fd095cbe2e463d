import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale, self.body, self.spare = nn.Parameter(torch.ones(1), requires_grad=False), nn.Linear(3, 1), nn.Linear(3, 1)

net, x = Net(), torch.randn(5, 3)
opt = torch.optim.SGD(net.body.parameters(), 0.1)

def step():
    return (net.scale * net.body(x)).pow(2).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=['net.scale', 'net.spare.weight', 'net.spare.bias'], raises=None, ok=True)
