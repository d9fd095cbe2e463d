import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv1d(1, 2, 3, padding=1), nn.ReLU(), nn.Conv1d(2, 1, 3, padding=1)).requires_grad_(False)
noise = torch.randn(2, 1, 5)

def step():
    z = noise.detach().requires_grad_()
    energy = net(z).mean() + (z - 1).sum() * 0.1
    energy.backward(retain_graph=True)
    with torch.no_grad():
        noise.add_(z.grad, alpha=-0.1).clamp_(-2, 2)
    return energy.detach()

EXPECT = dict(kind='none', cut_line=None, no_grad=['net.0.weight', 'net.0.bias', 'net.2.weight', 'net.2.bias'],
              raises=None, ok=True, own_backward=True)
