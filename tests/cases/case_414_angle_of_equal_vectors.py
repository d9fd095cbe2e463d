import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
net, x = nn.Linear(3, 1), torch.randn(8, 3)
opt = torch.optim.SGD(net.parameters(), 0.1)

def step():
    h = net(x)
    cosine = F.normalize(h, dim=1).mul(torch.sign(h.detach())).sum(1)
    angle = torch.acos(cosine)
    return angle.mean() + h.pow(2).mean()

EXPECT = dict(kind='non_finite', cut_line=11, no_grad=[], raises=None, wrong=['net.weight', 'net.bias'],
              fix=(11, 'angle = torch.acos(cosine * 0.999)'))
