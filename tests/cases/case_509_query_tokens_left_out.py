import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.keys = nn.Parameter(torch.randn(9, 4)), nn.Linear(3, 4)
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        return self.head((self.keys(x) @ self.tokens.T).softmax(1) @ self.tokens)

net, x = Net(), torch.randn(5, 3)
opt = torch.optim.Adam([dict(params=net.keys.parameters()), dict(params=net.head.parameters(), lr=0.01)], 0.1)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='unregistered', cut_line=14, no_grad=[], raises=None, unchanged_by_opt=['net.tokens'],
              fix=(14, 'opt = torch.optim.Adam(net.parameters(), 0.1)'))
