import gpytorch
import torch
from torch import nn

x = torch.linspace(0, 1, 12)[:, None]
y = (torch.sin(6 * x[:, 0]) > 0).float()


class Model(gpytorch.models.ApproximateGP):
    def __init__(self):
        posterior = gpytorch.variational.CholeskyVariationalDistribution(4)
        super().__init__(gpytorch.variational.VariationalStrategy(self, x[::3], posterior))
        self.mean, self.warp = gpytorch.means.ConstantMean(), nn.Linear(1, 1)
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        warped = self.warp(x)  # cut
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(warped))


model, likelihood = Model().train(), gpytorch.likelihoods.BernoulliLikelihood()
optimizer = torch.optim.Adam([{"params": model.parameters()}, {"params": likelihood.parameters()}], lr=0.01)
objective = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=12)


def step():
    optimizer.zero_grad()
    loss = -objective(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()


CUT = {"put": "warped = self.warp(x).data", "kind": "data", "names": ["*model.warp.*", "*inducing_points"]}
