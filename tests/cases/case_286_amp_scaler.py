import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
scaler = torch.amp.GradScaler('cpu')

def step():
    opt.zero_grad()
    with torch.autocast('cpu', dtype=torch.bfloat16):
        loss = F.mse_loss(net(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True, calls=3)
