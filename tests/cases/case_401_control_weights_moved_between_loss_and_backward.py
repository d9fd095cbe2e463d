import torch

torch.manual_seed(0)
w, x, y = torch.randn(3, requires_grad=True), torch.randn(8, 3), torch.randn(8, 3)


def step():
    loss = (x + w - y).pow(2).mean()
    w.data.sub_(0.1)
    return loss


EXPECT = dict(kind="none", cut_line=None, no_grad=[], raises=None, ok=True)
