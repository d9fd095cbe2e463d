import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Linear(4, 8)), nn.LeakyReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters())
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda e: 0.9 ** e)
x = torch.randn(6, 4)

def step():
    loss = F.softplus(-net(x)).mean()
    opt.zero_grad(); loss.backward(); opt.step(); sched.step()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, own_backward=True, calls=3, ok=True)
