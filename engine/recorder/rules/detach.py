"""A `detach()` between a parameter and the loss."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..analysis.cuts import CutFound
from ..rule import Fault, Rule, Severity
from ..starving import starved_by

WHAT = "`detach` gives the same values without their history"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    arrays = [
        cut for cut in analysis.cuts if cut.kind in ("item", "numpy") and cut.starved and not cut.intended
    ]

    def alone(cut: CutFound) -> bool:
        """Not `.detach().numpy()`: there the array is the point, and the detach only lets it happen."""
        wrapped = any(call.operation == "Parameter" for call in cut.calls)
        wanted = set(analysis.trainable_among(cut.starved))
        return not wrapped and not any(a.line == cut.line and wanted <= set(a.starved) for a in arrays)

    yield from starved_by("detach", WHAT, analysis, which=alone)


RULE = Rule(
    kind="detach",
    title="Detached tensor",
    what=WHAT,
    why="The values are the same, so the loss looks right, but nothing before the detach learns.",
    instead="Remove the `detach` where the gradient is wanted; keep it where the value is a target.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    hidden = net(x).detach()  # <--
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
