import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(8), nn.Linear(8, 2)), torch.randn(5, 3)
weights = [m.weight for m in net.modules() if isinstance(m, nn.Linear)]
biases = [m.bias for m in net.modules() if isinstance(m, nn.Linear)]
opt = torch.optim.AdamW([dict(params=weights), dict(params=biases, weight_decay=0.0)], 0.1)  # <--

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='unregistered', cut_line=None, no_grad=[], raises=None, unchanged_by_opt=['net.1.weight', 'net.1.bias'],
              fix=(5, 'weights = [p for n, p in net.named_parameters() if not (n[0] in "02" and n.endswith("bias"))]'))
