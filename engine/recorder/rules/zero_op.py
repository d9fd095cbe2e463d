"""An operation whose derivative is zero: `sign`, `round`, a dead `relu`, a factor of zeros."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import without_gradient

WHAT = "its derivative is zero here"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from without_gradient("zero_op", analysis)


RULE = Rule(
    kind="zero_op",
    title="Derivative of zero",
    what=WHAT,
    why="The gradient is multiplied by zero here, so the layers before it get zeros and do not learn.",
    instead="Use a smooth replacement (`sigmoid(k * x)`, `tanh`) or a straight-through estimator, `x + (f(x) - x).detach()`.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    hidden = net(x).sign()  # <--
    return head(hidden).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    hidden = net(x).tanh()
    return head(hidden).pow(2).mean()
""",
    check=check,
)
