"""A NumPy array on the path to the loss, or one that torch refuses to make."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import raised_as, starved_by

WHAT = "a NumPy array has no history"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from starved_by("numpy", WHAT, analysis)
    yield from raised_as(r"[Cc]an't call numpy\(\)", WHAT, analysis)


RULE = Rule(
    kind="numpy",
    title="NumPy array on the path",
    what=WHAT,
    why="An array leaves torch: a tensor made from it is a constant.",
    instead="Stay with torch operations on this path; call `.detach().numpy()` only on what never returns to the loss.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    hidden = torch.from_numpy(net(x).detach().numpy())  # <--
    return head(hidden).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    hidden = net(x)
    return head(hidden).pow(2).mean()
""",
    check=check,
)
