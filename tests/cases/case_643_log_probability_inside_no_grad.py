import torch
from torch import nn
from torch.distributions import Categorical
torch.manual_seed(0)
policy, value, x = nn.Linear(3, 2), nn.Linear(3, 1), torch.randn(8, 3)
opt = torch.optim.SGD([*policy.parameters(), *value.parameters()], lr=0.1)
def step():
    acts = Categorical(logits=policy(x))
    with torch.no_grad():
        action = acts.sample()
        score = acts.log_prob(action)
    advantage = action.float() - value(x).squeeze(-1)
    return (score * advantage).pow(2).mean()

EXPECT = dict(kind='no_grad', cut_line=9, no_grad=['policy.weight', 'policy.bias'], raises=None,
              fix=(9, 'with torch.enable_grad():'))
