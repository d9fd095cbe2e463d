"""A parameter that was cast, scaled or moved before it was kept, so that nothing holds the leaf."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..capture.frames import Line
from ..rule import Fault, Rule, Severity
from .non_leaf import REBOUND

WHAT = "the gradient goes to a leaf that nothing holds"


def check(analysis: Analysis) -> Iterator[Fault]:
    """One fault for each line that keeps computed tensors in the place of their leaves."""
    by_line: dict[tuple[Line | None, bool], list[str]] = {}
    for one in analysis.lost:
        by_line.setdefault((one.line, one.parameter), []).append(one.name)
    for (line, parameter), names in by_line.items():
        leaf = "`nn.Parameter`" if parameter else "leaf"
        text = (
            f"{listed(names)} {verb(names, 'is', 'are')} computed, not a leaf: the gradient goes to the {leaf} that "
            f"{verb(names, 'it was', 'each was')} made from here, which nothing holds any more, so it is "
            "never updated."
        )
        yield Fault(line, tuple(names), text, weight=len(names))
    for variable in analysis.computed:
        if variable.lost:
            text = f"`{variable.name}` has no `.grad`: {variable.reason}"
            yield Fault(variable.line, (variable.name,), text, REBOUND if variable.update else "", weight=1)


RULE = Rule(
    kind="non_leaf",
    title="Parameter lost behind a computed tensor",
    what=WHAT,
    why="A cast, a product or a move to a device gives a new tensor, which no module registers and no optimizer updates.",
    instead="Compute first and make the leaf last: `nn.Parameter(values.to(dtype))`, or `values.to(dtype).requires_grad_()`; move a module as a whole, with `module.to(...)`.",
    severity=Severity.STILL,
    bad="""
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Parameter(torch.ones(3)) * 0.01  # <--
        self.body = nn.Linear(3, 1)

    def forward(self, x):
        return self.body(self.gate * x)


net, x = Gated(), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    return net(x).pow(2).mean()
""",
    good="""
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Parameter(torch.ones(3) * 0.01)
        self.body = nn.Linear(3, 1)

    def forward(self, x):
        return self.body(self.gate * x)


net, x = Gated(), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    return net(x).pow(2).mean()
""",
    check=check,
)
