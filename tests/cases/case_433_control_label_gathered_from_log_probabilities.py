import torch
from torch import nn
torch.manual_seed(0)
net, teacher, x = nn.Linear(3, 4), nn.Linear(3, 4), torch.randn(8, 3)

def step():
    label = teacher(x).argmax(1, keepdim=True)
    logp = net(x).log_softmax(1)
    return -logp.gather(1, label).mean()

EXPECT = dict(kind='integer', cut_line=7, no_grad=['teacher.weight', 'teacher.bias'], raises=None, ok=True)
