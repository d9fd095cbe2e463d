import torch
from torch import nn
torch.manual_seed(0)
w, x = torch.randn(3), torch.randn(5, 3)

def step():
    loss = (x @ w).pow(2).mean()
    w.requires_grad = True
    return loss

EXPECT = dict(kind='frozen', cut_line=8, no_grad=['w'], raises=('RuntimeError', 'does not require grad'), raises_in='backward',
              fix=(8, 'w.requires_grad = True; loss = (x @ w).pow(2).mean()'))
