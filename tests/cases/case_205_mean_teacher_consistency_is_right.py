import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
import copy
student = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
teacher = copy.deepcopy(student).requires_grad_(False)
opt = torch.optim.SGD(student.parameters(), 0.1)
x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))

@torch.no_grad()
def update(decay=0.99):
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.mul_(decay).add_(s, alpha=1 - decay)

def step():
    out = student(x + 0.1 * torch.randn_like(x))
    with torch.no_grad():
        target = teacher(x).softmax(-1)
    loss = F.cross_entropy(out, y) + F.mse_loss(out.softmax(-1), target)
    opt.zero_grad(); loss.backward(); opt.step(); update()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=['teacher.0.weight', 'teacher.0.bias', 'teacher.2.weight', 'teacher.2.bias'], raises=None, own_backward=True, calls=3, ok=True)
