import torch
from torch import nn
torch.manual_seed(0)
net, x, mask = nn.Linear(3, 4), torch.randn(8, 3), torch.tensor([1.0, 1.0, 1.0, 0.0])
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    p = net(x).softmax(1) * mask
    logs = p.log()
    entropy = p * logs
    return entropy.nan_to_num(0.0).mean()

EXPECT = dict(kind='non_finite', cut_line=9, no_grad=[], raises=None, wrong=['net.weight', 'net.bias'],
              fix=(9, 'logs = p.clamp(min=1e-9).log()'))
