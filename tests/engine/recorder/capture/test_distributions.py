"""What a distribution checks of its arguments is no cut; what it draws is one."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, distributions, nn
from torch.distributions import Distribution

from engine.recorder import StepRecord, record_step

POSITIVE = nn.functional.softplus
OF_A_NETWORK: dict[str, Callable[[Tensor], Distribution]] = {
    "normal": lambda h: distributions.Normal(h, 0.5),
    "normal's scale": lambda h: distributions.Normal(0.0, POSITIVE(h)),
    "laplace": lambda h: distributions.Laplace(h, torch.tensor(0.5)),
    "gamma": lambda h: distributions.Gamma(POSITIVE(h), 1.0),
    "beta": lambda h: distributions.Beta(POSITIVE(h), 2.0),
    "uniform": lambda h: distributions.Uniform(h - 10.0, 10.0),
    "student": lambda h: distributions.StudentT(3.0, h, 1.0),
    "log normal": lambda h: distributions.LogNormal(h, 0.5),
    "relaxed": lambda h: distributions.RelaxedBernoulli(torch.tensor(0.5), logits=h),
    "several": lambda h: distributions.Independent(distributions.Normal(h, 1.0), 1),
    "vector": lambda h: distributions.MultivariateNormal(h, torch.eye(3)),
}


def recorded(loss_of: Callable[[Tensor], Tensor]) -> StepRecord:
    torch.manual_seed(0)
    net, x = nn.Linear(4, 3), torch.randn(8, 4)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    return record_step(lambda: loss_of(net(x)), names={"net": net, "optimizer": optimizer})


@pytest.mark.parametrize("make", OF_A_NETWORK.values(), ids=OF_A_NETWORK.keys())
def test_a_likelihood_cuts_nothing(make: Callable[[Tensor], Distribution]) -> None:
    def loss_of(h: Tensor) -> Tensor:
        likelihood: Tensor = make(h).log_prob(torch.full((8, 3), 0.4))
        return -likelihood.mean()

    report = recorded(loss_of)
    assert report.ok, report.verdict
    assert report.cuts == ()


@pytest.mark.parametrize("kind", [distributions.Normal, distributions.Laplace])
def test_a_sample_is_a_cut(kind: Callable[[Tensor, float], Distribution]) -> None:
    report = recorded(lambda h: kind(h, 0.5).sample().pow(2).mean())
    assert [cut.kind for cut in report.cuts] == ["no_grad"]
    assert report.findings[0].names == ("net.weight", "net.bias")
