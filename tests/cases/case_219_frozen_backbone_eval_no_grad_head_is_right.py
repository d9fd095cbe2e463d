import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
head = nn.Linear(4, 5)
backbone.eval()
opt = torch.optim.Adam(head.parameters())
x, y = torch.randn(4, 3, 8, 8), torch.randint(0, 5, (4,))

def step():
    with torch.no_grad():
        feats = backbone(x)
    return F.cross_entropy(head(feats), y)

EXPECT = dict(kind='none', cut_line=None, no_grad=['backbone.0.weight', 'backbone.0.bias', 'backbone.1.weight', 'backbone.1.bias'], raises=None, ok=True)
