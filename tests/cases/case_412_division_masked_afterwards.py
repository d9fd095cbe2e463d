import torch
from torch import nn
torch.manual_seed(0)
net, x, mask = nn.Linear(3, 2), torch.randn(8, 3), torch.tensor([0.0] + [1.0] * 7)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    out = net(x) * mask[:, None]
    total = out.abs().sum(1, keepdim=True)
    share = out / total
    kept = share[mask > 0]
    return (kept - 0.3).pow(2).mean()

EXPECT = dict(kind='non_finite', cut_line=10, no_grad=[], raises=None, wrong=['net.weight', 'net.bias'],
              fix=(10, 'share = out / total.clamp(min=1e-9)'))
