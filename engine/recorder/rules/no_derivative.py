"""An operation for whose result torch has no derivative, though the result is no integer: a count, a drawn number."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import is_

from ...text import listed
from ..analysis.analysis import Analysis
from ..analysis.cuts import CutFound
from ..rule import Fault, Rule, Severity
from ..starving import starved_by

WHAT = "the result has no derivative, as with a count"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens, each told with the operation's name."""
    cuts = [cut for cut in analysis.cuts if cut.rule == "no_derivative"]
    for cut in cuts:
        yield from starved_by("integer", _what(cut), analysis, which=partial(is_, cut))


def _what(cut: CutFound) -> str:
    names = sorted({call.operation for call in cut.calls})
    return f"torch has no derivative for the result of {listed(names)}" if names else WHAT


RULE = Rule(
    kind="integer",
    title="Operation without a derivative",
    what=WHAT,
    why="Counting, ranking or drawing gives numbers that do not depend smoothly on the input, so nothing can learn through them.",
    instead="Use a smooth replacement: for a histogram, a sum of bumps around the `centres` of its bins.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 4), torch.randn(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
goal, centres = torch.full((5,), 6.4), torch.linspace(-1, 1, 5)


def step():
    counts = torch.histc(net(x), bins=5, min=-1, max=1)  # <--
    return (counts - goal).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, x = nn.Linear(3, 4), torch.randn(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
goal, centres = torch.full((5,), 6.4), torch.linspace(-1, 1, 5)


def step():
    counts = (-(net(x).reshape(-1, 1) - centres).pow(2) / 0.1).exp().sum(0)
    return (counts - goal).pow(2).mean()
""",
    check=check,
)
