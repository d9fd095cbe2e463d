import gpytorch
import torch
from torch import nn

x = torch.linspace(0, 1, 12)
y = torch.sin(6 * x) + 0.1 * torch.randn(12)


class Model(gpytorch.models.ExactGP):
    def __init__(self, likelihood):
        super().__init__(x, y, likelihood)
        self.mean, self.kernel = gpytorch.means.ConstantMean(), gpytorch.kernels.RBFKernel()
        self.raw_scale = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        scale = self.raw_scale.exp()  # cut
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x) * scale)


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Model(likelihood).train()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)


def step():
    optimizer.zero_grad()
    loss = -objective(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "scale = self.raw_scale.exp().item()", "kind": "item", "names": ["*model.raw_scale"]}
