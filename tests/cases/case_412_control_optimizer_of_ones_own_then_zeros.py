import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
class Plain(torch.optim.Optimizer):
    def __init__(self, params): super().__init__(params, {})
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group['params']:
                p.data.add_(p.grad.data, alpha=-0.1)
opt = Plain(net.parameters())
x = torch.randn(8, 4)
def step():
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.step()
    for p in net.parameters():
        p.grad = torch.zeros_like(p)
    return loss.item() * torch.ones(())

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True, zero=['net.weight', 'net.bias'])
