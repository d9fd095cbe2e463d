import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
class Agent:
    def __init__(self):
        self.nets = {'pi': nn.Linear(3, 2), 'v': nn.Linear(3, 1)}
        self.opts = [torch.optim.SGD(n.parameters(), 0.1) for n in self.nets.values()]
    def update(self):
        v = self.nets['v'](x)
        logits = self.nets['pi'](x)
        adv = (y - v).detach()
        loss = -(F.log_softmax(logits, -1)[:, :1] * adv).mean() + (y - v).pow(2).mean()
        for o in self.opts: o.zero_grad()
        loss.backward()
        for o in self.opts: o.step()
        return {'loss': loss.item()}
agent = Agent()

def step():
    return agent.update()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True, calls=2)
