import torch
from torch import nn
torch.manual_seed(0)
policy, critic, x, reward = nn.Linear(3, 2), nn.Linear(3, 1), torch.randn(5, 3), torch.randn(5)
opt = torch.optim.SGD([*policy.parameters(), *critic.parameters()], 0.1)

def step():
    values = [critic(row).squeeze() for row in x]
    advantage = reward - torch.tensor(values)
    chosen = policy(x).log_softmax(1)[:, 0]
    fit = (torch.stack(values) - reward).pow(2).mean()
    return fit - (chosen * advantage).mean()

EXPECT = dict(kind='torch_tensor', cut_line=9, no_grad=[], raises=None, ok=True)
