import torch
from torch import nn
from torch.distributions import Categorical
torch.manual_seed(0)
net, value = nn.Linear(3, 2), nn.Linear(3, 1)
opt = torch.optim.SGD([*net.parameters(), *value.parameters()], lr=0.1)
@torch.no_grad()
def rollout():
    seen, memory = torch.ones(3), []
    for _ in range(3):
        policy = Categorical(logits=net(seen))
        action = policy.sample()
        memory.append((policy.log_prob(action), value(seen), float(action.item() == 1)))
        seen = nn.functional.one_hot(action, 3).float()
    return memory
def step():
    memory = rollout()
    rewards = torch.tensor([r for _, _, r in memory]) + 0.5
    values = torch.cat([v for _, v, _ in memory])
    return (values - rewards).pow(2).sum() - (torch.stack([p for p, _, _ in memory]) * rewards).sum()

EXPECT = dict(kind='no_grad', cut_line=7, no_grad=['net.weight', 'net.bias', 'value.weight', 'value.bias'],
              raises=('RuntimeError', 'does not require grad'), raises_in='backward', fix=(7, '@torch.enable_grad()'))
