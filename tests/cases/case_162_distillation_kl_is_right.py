import torch
from torch import nn
torch.manual_seed(0)
teacher, student, x = nn.Linear(4, 3), nn.Linear(4, 3), torch.randn(8, 4)

def step():
    with torch.no_grad():
        soft = teacher(x).div(2).softmax(1)
    return nn.functional.kl_div(student(x).log_softmax(1), soft, reduction='batchmean')

EXPECT = dict(kind='no_grad', cut_line=7, no_grad=['teacher.weight', 'teacher.bias'], raises=None, ok=True)
