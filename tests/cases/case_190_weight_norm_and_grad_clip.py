import torch
from torch import nn
torch.manual_seed(0)
net, x = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)), torch.randn(8, 3)
opt = torch.optim.AdamW(net.parameters(), 0.1)

def step():
    opt.zero_grad(set_to_none=False)
    loss = net(x).pow(2).mean()
    loss.backward()
    torch.nn.utils.clip_grad_value_(net.parameters(), 0.5)
    opt.step()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True, calls=3)
