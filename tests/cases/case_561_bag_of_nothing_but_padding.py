import torch
from torch import nn
torch.manual_seed(0)
words, x = nn.EmbeddingBag(5, 3, padding_idx=2), torch.tensor([[2, 2], [2, 2]])
head = nn.Linear(3, 1)

def step():
    return (head(words(x)) - 1).pow(2).mean()

EXPECT = dict(kind='zero_op', cut_line=None, no_grad=[], raises=None, zero=['words.weight', 'head.weight'], fix=(8, 'return (head(words(x + 1)) - 1).pow(2).mean()'))
