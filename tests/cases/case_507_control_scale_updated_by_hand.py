import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale, self.body = nn.Parameter(torch.ones(1)), nn.Linear(3, 1)

net, x = Net(), torch.randn(5, 3)
opt = torch.optim.SGD(net.body.parameters(), 0.1)

def step():
    opt.zero_grad()
    net.scale.grad = None
    loss = (net.scale * net.body(x)).pow(2).mean()
    loss.backward()
    opt.step()
    with torch.no_grad():
        net.scale.sub_(0.01 * net.scale.grad)
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
