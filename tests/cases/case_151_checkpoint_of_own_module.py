import torch
from torch import nn
torch.manual_seed(0)
from torch.utils.checkpoint import checkpoint
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        return self.lin(x).relu()

block, head, x = Block(), nn.Linear(3, 1), torch.randn(8, 3)

def step():
    h = checkpoint(block, x, use_reentrant=True)
    return head(h).pow(2).mean()

EXPECT = dict(kind='checkpoint', cut_line=16, no_grad=['block.lin.weight', 'block.lin.bias'], raises=None)
