import torch
from torch import nn
torch.manual_seed(0)
class Losses(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net, self.log_var = net, nn.Parameter(torch.zeros(2))

    def forward(self, x, y):
        each = (self.net(x) - y).pow(2).mean(0)
        return (each * (-self.log_var).exp() + self.log_var).sum()

net, x, y = nn.Linear(3, 2), torch.randn(5, 3), torch.randn(5, 2)
losses = Losses(net)
opt = torch.optim.Adam(net.parameters(), 0.1)

def step():
    return losses(x, y)

EXPECT = dict(kind='unregistered', cut_line=None, no_grad=[], raises=None, unchanged_by_opt=['losses.log_var'],
              fix=(15, 'opt = torch.optim.Adam(losses.parameters(), 0.1)'))
