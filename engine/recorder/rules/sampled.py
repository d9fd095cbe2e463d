"""A `sample()` of a distribution on the way to the loss."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import starved_by

WHAT = "`sample()` draws numbers without a history"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from starved_by("no_grad", WHAT, analysis, which=lambda cut: cut.drawn)


RULE = Rule(
    kind="no_grad",
    title="Sample without a history",
    what=WHAT,
    why="The distribution's parameters determine the sample, but no gradient passes from the sample back to them.",
    instead="Use `rsample()` where the distribution has one, or put `log_prob(sample)` into the loss.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

actor, critic, x = nn.Linear(3, 1), nn.Linear(1, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(actor.parameters(), lr=0.1)


def step():
    policy = torch.distributions.Normal(actor(x), 1.0)
    action = policy.sample()  # <--
    return critic(action).mean()
""",
    good="""
import torch
from torch import nn

actor, critic, x = nn.Linear(3, 1), nn.Linear(1, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(actor.parameters(), lr=0.1)


def step():
    policy = torch.distributions.Normal(actor(x), 1.0)
    action = policy.rsample()
    return critic(action).mean()
""",
    check=check,
)
