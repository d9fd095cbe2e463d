import torch

net = torch.nn.Linear(3, 1)
with torch.no_grad():
    print(net(torch.ones(2, 3)).shape)
