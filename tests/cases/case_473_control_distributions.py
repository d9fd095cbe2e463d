import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.rand(8, 1)
D = torch.distributions
def step():
    h = net(x)
    s = nn.functional.softplus(h) + 0.1
    loss = -D.Normal(h, 0.5).log_prob(y) - D.Laplace(h, 1.0).log_prob(y) - D.StudentT(3.0, h, 1.0).log_prob(y)
    loss = loss - D.Bernoulli(logits=h).log_prob((y > 0.5).float()) - D.Gamma(s, 1.0).log_prob(y) - D.Beta(s, 2.0).log_prob(y)
    loss = loss - D.Poisson(s).log_prob((y * 3).round()) - D.LogNormal(h, 0.5).log_prob(y) - D.Cauchy(h, 1.0).log_prob(y)
    kl = D.kl_divergence(D.Normal(h, s), D.Normal(0.0, 1.0)) + D.Normal(h, 0.5).entropy().sum() * 0
    return (loss + kl + (D.Normal(h, 0.5).rsample() - y).pow(2)).mean()

EXPECT = dict(kind='none', cut_line=None, no_grad=[], raises=None, ok=True)
