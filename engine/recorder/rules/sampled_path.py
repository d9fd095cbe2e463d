"""A `sample()` that takes one of several paths from what the distribution was made of."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "`sample()` draws numbers without a history, so part of the gradient is lost"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    for cut in analysis.cuts:
        names = analysis.trainable_among(cut.partial)
        if cut.drawn and not cut.intended and names and not analysis.trainable_among(cut.starved):
            text = (
                f"{listed(names)} {verb(names, 'gets', 'get')} a gradient through other paths but none through this one: "
                "`sample()` draws numbers without a history."
            )
            yield Fault(cut.line, tuple(names), text, weight=len(names))


RULE = Rule(
    kind="no_grad",
    title="Sample that cuts one path",
    what=WHAT,
    why="The gradient from the layers after the sample never reaches the distribution: it learns only from the other terms of the loss, like an encoder trained by its KL term alone.",
    instead="Use `rsample()`, which draws the same numbers and keeps their history; if the sample is to be scored instead, put `log_prob(sample)` into the loss.",
    severity=Severity.WRONG,
    bad="""
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

encoder, decoder, x = nn.Linear(3, 2), nn.Linear(2, 3), torch.ones(8, 3)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)


def step():
    code = Normal(encoder(x), 1.0)
    drawn = code.sample()  # <--
    return (decoder(drawn) - x).pow(2).mean() + kl_divergence(code, Normal(0.0, 1.0)).mean()
""",
    good="""
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

encoder, decoder, x = nn.Linear(3, 2), nn.Linear(2, 3), torch.ones(8, 3)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)


def step():
    code = Normal(encoder(x), 1.0)
    drawn = code.rsample()
    return (decoder(drawn) - x).pow(2).mean() + kl_divergence(code, Normal(0.0, 1.0)).mean()
""",
    check=check,
)
