import torch
from torch import nn
torch.manual_seed(0)
net, aux, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(8, 3)
opt = torch.optim.SGD([*net.parameters(), *aux.parameters()], 0.1)

def step():
    extra = aux(x).pow(2).mean()
    return net(x).pow(2).mean()

EXPECT = dict(kind='not_in_graph', cut_line=8, no_grad=['aux.weight', 'aux.bias'], raises=None)
