"""Two paths from one tensor to the loss whose gradients add up to zero."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import without_gradient

WHAT = "the gradients of two paths add up to zero"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from without_gradient("cancel", analysis)


RULE = Rule(
    kind="cancel",
    title="Two paths that cancel",
    what=WHAT,
    why="Each path carries a gradient, but their sum is zero, so nothing before them learns.",
    instead="Detach the path that is only meant to carry a value, as in `x + (f(x) - x).detach()`.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    hidden = net(x)
    hidden = hidden + (hidden.round() - hidden)  # <--
    return head(hidden).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    hidden = net(x)
    hidden = hidden + (hidden.round() - hidden).detach()
    return head(hidden).pow(2).mean()
""",
    check=check,
)
