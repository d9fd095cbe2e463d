import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net, teacher, x = nn.Linear(3, 4), nn.Linear(3, 4), torch.randn(8, 3)

def step():
    logits = teacher(x)
    sure = logits.softmax(1).amax(1) > 0.3
    losses = F.cross_entropy(net(x), logits.argmax(1), reduction='none')
    return (losses * sure).mean()

EXPECT = dict(kind='integer', cut_line=10, no_grad=['teacher.weight', 'teacher.bias'], raises=None, ok=True)
