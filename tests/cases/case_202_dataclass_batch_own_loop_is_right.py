import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
from dataclasses import dataclass
@dataclass
class Batch:
    x: torch.Tensor
    y: torch.Tensor
    weight: torch.Tensor | None = None
batch = Batch(torch.randn(8, 4), torch.randint(0, 3, (8,)), torch.rand(8))
net = nn.Sequential(nn.Linear(4, 16), nn.GELU(), nn.Dropout(0.1), nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 10)
history = []

def step():
    opt.zero_grad(set_to_none=True)
    out = net(batch.x)
    per = F.cross_entropy(out, batch.y, reduction='none')
    loss = (per * batch.weight).sum() / batch.weight.sum()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step(); sched.step()
    acc = (out.argmax(1) == batch.y).float().mean().item()
    history.append({'loss': loss.item(), 'norm': float(norm), 'acc': acc})
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, own_backward=True, calls=4, ok=True)
