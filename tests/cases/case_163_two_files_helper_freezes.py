import torch
from torch import nn
torch.manual_seed(0)
enc, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)

def set_trainable(module, flag):
    for p in module.parameters():
        p.requires_grad = flag

set_trainable(enc, False)
set_trainable(head, False)

def step():
    return head(enc(x)).pow(2).mean()

EXPECT = dict(kind='frozen', cut_line=8, no_grad=['enc.weight', 'enc.bias', 'head.weight', 'head.bias'], raises=('RuntimeError', 'does not require grad'), raises_in='backward')
