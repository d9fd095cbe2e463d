import torch
from torch import nn
from torch.func import functional_call, grad, vmap
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
def one(p, xi, yi):
    return F.cross_entropy(functional_call(net, p, (xi[None],)), yi[None])
def step():
    p = {k: v.detach() for k, v in net.named_parameters()}
    g = vmap(grad(one), in_dims=(None, 0, 0))(p, x, y)
    norms = torch.stack([v.flatten(1).norm(dim=1) for v in g.values()]).norm(dim=0)
    c = (1.0 / (norms + 1e-6)).clamp(max=1)
    for k, v in net.named_parameters():
        v.grad = torch.einsum("b,b...->...", c, g[k]) / len(x) + 0.001 * torch.randn_like(v)
    opt.step()
    with torch.no_grad():
        return F.cross_entropy(net(x), y)


EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True, own_backward=True)
