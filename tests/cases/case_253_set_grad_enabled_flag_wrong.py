import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 1)
        self.finetune = False
    def forward(self, x):
        with torch.set_grad_enabled(self.finetune):
            h = self.body(x).relu()
        return self.head(h)
net = Net()
opt = torch.optim.Adam(net.parameters())
x = torch.randn(6, 4)

def step():
    return net(x).pow(2).mean()

EXPECT = dict(kind='no_grad', cut_line=11, no_grad=['net.body.weight', 'net.body.bias'], raises=None)
