import torch
from torch import nn
torch.manual_seed(0)
class Game(nn.Module):
    def __init__(self):
        super().__init__()
        self.maker, self.judge = nn.Linear(2, 3), nn.Linear(3, 1)

game, noise = Game(), torch.randn(5, 2)
opt = torch.optim.Adam(game.maker.parameters(), 0.1)
opt_judge = torch.optim.Adam(game.judge.parameters(), 0.1)

def step():
    opt.zero_grad()
    loss = -game.judge(game.maker(noise)).mean()
    loss.backward()
    opt.step()
    return loss

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
