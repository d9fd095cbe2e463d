import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.RNNCell(3, 4)
head = nn.Linear(4, 1)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], 0.1)
h = torch.zeros(2, 4)
for i in range(5):
    h = rnn(torch.randn(2, 3), h)
    loss = head(h).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
