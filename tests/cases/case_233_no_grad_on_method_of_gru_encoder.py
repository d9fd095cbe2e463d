import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(9, 6); self.gru = nn.GRU(6, 5, batch_first=True); self.out = nn.Linear(5, 2)
    @torch.no_grad()
    def encode(self, t):
        return self.gru(self.emb(t))[1][-1]
    def forward(self, t): return self.out(self.encode(t))
model = Model()
opt = torch.optim.Adam(model.parameters())
t, y = torch.randint(0, 9, (4, 5)), torch.randint(0, 2, (4,))

def step():
    return F.cross_entropy(model(t), y)

EXPECT = dict(kind='no_grad', cut_line=9, no_grad=['model.emb.weight', 'model.gru.weight_ih_l0', 'model.gru.weight_hh_l0', 'model.gru.bias_ih_l0', 'model.gru.bias_hh_l0'], raises=None)
