import torch
from torch import nn
torch.manual_seed(0)
enc, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)

@torch.inference_mode()
def features(x):
    return enc(x).tanh()

def step():
    return head(features(x).clone()).pow(2).mean()

EXPECT = dict(kind='inference_mode', cut_line=6, no_grad=['enc.weight', 'enc.bias'], raises=None)
