import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
class Attn(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))
        self.last = None
    def forward(self, x):
        w = torch.einsum('bid,bjd->bij', self.q(x), self.k(x)).softmax(-1)
        self.last = w.detach()
        return torch.einsum('bij,bjd->bid', w, self.v(x))
net = Attn(); head = nn.Linear(8, 1)
opt = torch.optim.AdamW([*net.parameters(), *head.parameters()], 1e-3)
x, y = torch.randn(4, 5, 8), torch.randn(4, 1)
log = {}

def step():
    out = head(net(x).mean(1))
    loss = F.mse_loss(out, y)
    log['loss'] = loss.item(); log['entropy'] = float(-(net.last * net.last.log()).sum(-1).mean())
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
