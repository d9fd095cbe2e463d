import torch
from torch import nn
torch.manual_seed(0)
class Holder(nn.Module):
    def __init__(self, module):
        super().__init__(); self.module = module
    def forward(self, x): return self.module(x)
net = nn.Linear(4, 4); head = nn.Linear(4, 1)
ddp = Holder(net)
both = nn.ModuleDict({'net': net, 'head': head})
opt = torch.optim.SGD(both.parameters(), lr=0.1)
x = torch.randn(8, 4)
def step():
    loss = head(ddp(x)).pow(2).mean()
    loss.backward()
    opt.zero_grad()
    opt.step()
    return loss.detach()

EXPECT = dict(kind='zero_grad', cut_line=16, no_grad=['net.weight', 'net.bias', 'head.weight', 'head.bias', 'ddp.module.weight', 'ddp.module.bias', 'both.net.weight', 'both.net.bias', 'both.head.weight', 'both.head.bias'], raises=None, own_backward=True, fix=(16, 'pass'))
