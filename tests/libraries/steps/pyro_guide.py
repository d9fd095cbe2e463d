import pyro
import torch
from pyro import distributions as dist
from pyro.infer import SVI, Trace_ELBO
from torch import nn

pyro.clear_param_store()
encoder, decoder = nn.Linear(4, 4), nn.Linear(2, 4)
x = torch.rand(6, 4).round()


def model(x):
    pyro.module("decoder", decoder)
    with pyro.plate("data", 6):
        z = pyro.sample("z", dist.Normal(torch.zeros(6, 2), 1.0).to_event(1))
        pyro.sample("x", dist.Bernoulli(logits=decoder(z)).to_event(1), obs=x)


def guide(x):
    pyro.module("encoder", encoder)
    with pyro.plate("data", 6):
        with torch.enable_grad():  # cut
            location, scale = encoder(x).chunk(2, -1)
        pyro.sample("z", dist.Normal(location, scale.exp()).to_event(1))


svi = SVI(model, guide, pyro.optim.Adam({"lr": 1e-3}), Trace_ELBO())


def step():
    return svi.step(x)


CUT = {"put": "with torch.no_grad():", "kind": "no_grad", "names": ["encoder.*"]}
