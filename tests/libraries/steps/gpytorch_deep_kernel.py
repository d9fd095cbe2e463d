import gpytorch
import torch
from torch import nn

x = torch.linspace(0, 1, 12)[:, None]
y = torch.sin(6 * x[:, 0])


class Model(gpytorch.models.ExactGP):
    def __init__(self, likelihood):
        super().__init__(x, y, likelihood)
        self.features = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 2))
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=2))

    def forward(self, x):
        hidden = self.features(x)  # cut
        return gpytorch.distributions.MultivariateNormal(self.mean(hidden), self.kernel(hidden))


model = Model(gpytorch.likelihoods.GaussianLikelihood()).train()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
objective = gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model)


def step():
    optimizer.zero_grad()
    loss = -objective(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "hidden = self.features(x).detach()", "kind": "detach", "names": ["*model.features.*"]}
