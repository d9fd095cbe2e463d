import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Linear(3, 2).double(), torch.randn(5, 3).double()
temperature = nn.Parameter(torch.tensor(2.0)).double()
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    return -(net(x) / temperature).log_softmax(1)[:, 0].mean()

EXPECT = dict(kind='non_leaf', cut_line=5, no_grad=['temperature'], raises=None, watch=['temperature'],
              fix=(5, 'temperature = nn.Parameter(torch.tensor(2.0).double())'))
