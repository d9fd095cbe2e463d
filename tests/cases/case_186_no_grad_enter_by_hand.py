import torch
from torch import nn
torch.manual_seed(0)
enc, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)

class Extract:
    def __enter__(self):
        self.guard = torch.no_grad()
        self.guard.__enter__()
    def __exit__(self, *a):
        self.guard.__exit__(*a)

def step():
    with Extract():
        h = enc(x)
    return head(h).pow(2).mean()

EXPECT = dict(kind='no_grad', cut_line=9, no_grad=['enc.weight', 'enc.bias'], raises=None)
