import pyro
import torch
from pyro import distributions as dist
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoNormal
from pyro.nn import PyroModule
from torch import nn

pyro.clear_param_store()
x, y = torch.randn(20, 2), torch.randn(20)


class Model(PyroModule):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(2, 3)

    def forward(self, x, y):
        weight = pyro.sample("weight", dist.Normal(torch.zeros(3), 1.0).to_event(1))
        hidden = self.features(x).tanh()  # cut
        with pyro.plate("data", len(x)):
            pyro.sample("y", dist.Normal(hidden @ weight, 1.0), obs=y)


model = Model()
guide = AutoNormal(model)
svi = SVI(model, guide, pyro.optim.Adam({"lr": 0.01}), Trace_ELBO())


def step():
    return svi.step(x, y)


CUT = {"put": "hidden = self.features(x).tanh().detach()", "kind": "detach", "names": ["*model.features.*"]}
