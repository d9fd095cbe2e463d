import torch
torch.manual_seed(0)
w1 = torch.randn(4, 8, requires_grad=True)
w2 = torch.randn(8, 1, requires_grad=True)
x, y = torch.randn(16, 4), torch.randn(16, 1)
def step():
    loss = ((x @ w1).relu() @ w2 - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        for w in (w1, w2):
            w -= 0.01 * w.grad
            w.grad = None
    return loss


EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
