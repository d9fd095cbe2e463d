import torch
from torch import nn
torch.manual_seed(0)
table, head, x = nn.Parameter(torch.randn(4, 3)), nn.Linear(3, 1), torch.zeros(6, dtype=torch.long)

def step():
    found = nn.functional.embedding(x, table, padding_idx=0)
    return (head(found) - 1).pow(2).mean()

EXPECT = dict(kind='zero_op', cut_line=None, no_grad=[], raises=None, zero=['table'], fix=(7, 'found = nn.functional.embedding(x, table)'))
