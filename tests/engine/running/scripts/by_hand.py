import torch

w = torch.zeros(3, requires_grad=True)
for i in range(4):
    loss = (w - 1).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
print(w)
