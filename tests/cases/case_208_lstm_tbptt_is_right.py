import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
lstm = nn.LSTM(3, 5, batch_first=True); out = nn.Linear(5, 3)
opt = torch.optim.Adam([*lstm.parameters(), *out.parameters()])
seq = torch.randn(2, 12, 3)
state = None; pos = 0

def step():
    global state, pos
    chunk = seq[:, pos:pos + 3]; pos = (pos + 3) % 9
    h, state = lstm(chunk, state)
    state = tuple(s.detach() for s in state)
    loss = F.mse_loss(out(h), seq[:, pos + 1:pos + 4] if False else chunk)
    opt.zero_grad(); loss.backward(); opt.step()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, own_backward=True, calls=4, ok=True)
