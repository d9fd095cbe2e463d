import pyro
import torch
from pyro import distributions as dist
from pyro.infer import SVI, TraceGraph_ELBO
from torch import nn

pyro.clear_param_store()
encoder, decoder, x = nn.Linear(3, 1), nn.Linear(1, 3), torch.randn(6, 3)


def model(x):
    pyro.module("decoder", decoder)
    with pyro.plate("data", 6):
        z = pyro.sample("z", dist.Bernoulli(0.5))
        pyro.sample("x", dist.Normal(decoder(z[:, None]), 1.0).to_event(1), obs=x)


def guide(x):
    pyro.module("encoder", encoder)
    logits = encoder(x)[:, 0]  # cut
    with pyro.plate("data", 6):
        baseline = {"use_decaying_avg_baseline": True}
        pyro.sample("z", dist.Bernoulli(logits=logits), infer={"baseline": baseline})


svi = SVI(model, guide, pyro.optim.Adam({"lr": 0.01}), TraceGraph_ELBO())


def step():
    return svi.step(x)


CUT = {"put": "logits = torch.from_numpy(encoder(x)[:, 0].detach().numpy() * 2)", "kind": "numpy", "names": ["encoder.*"]}
