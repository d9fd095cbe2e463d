import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh()).requires_grad_(False)
bias, goal = nn.Parameter(torch.zeros(4)), torch.randn(1, 4)

def step():
    image = torch.rand(1, 3)
    features = net(image) + bias
    image = image.requires_grad_()
    loss = (features - goal).pow(2).mean()
    loss.backward()
    if image.grad is not None:
        image.data -= 0.1 * image.grad
    return loss.detach()

EXPECT = dict(kind='frozen', cut_line=10, no_grad=['net.0.weight', 'net.0.bias'], raises=None, still_none=['net.0.weight', 'net.0.bias'], own_backward=True, loss_differs=True,
              fix=(10, 'image = image.requires_grad_(); features = net(image).exp()'))
