import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)
x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))

def step():
    logits = net(x)
    soft = 0.8 * F.one_hot(y, 3).float() + 0.2 * logits.detach().softmax(-1)
    return -(soft * logits.log_softmax(-1)).sum(-1).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
