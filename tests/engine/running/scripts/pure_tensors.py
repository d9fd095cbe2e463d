import torch

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
b = torch.zeros((), requires_grad=True)
s = torch.ones(3, requires_grad=True)
opt = torch.optim.Adam([w, b, s], 0.1)
for i in range(4):
    x = torch.randn(8, 3)
    pred = (x * s.detach()) @ w + b
    loss = (pred - x.sum(1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
