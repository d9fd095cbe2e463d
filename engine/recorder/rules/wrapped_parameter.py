"""An `nn.Parameter` that is made of a computed tensor."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import starved_by

WHAT = "`nn.Parameter` around a computed tensor is a new leaf, with no path back"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from starved_by(
        "detach", WHAT, analysis, which=lambda cut: any(call.operation == "Parameter" for call in cut.calls)
    )


RULE = Rule(
    kind="detach",
    title="Parameter around a computed tensor",
    what=WHAT,
    why="The new leaf gets the gradient and ends it there; what computed its values stands still.",
    instead="Use the tensor as it is; make an `nn.Parameter` once, in `__init__`, of what is to be trained itself.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    hidden = nn.Parameter(net(x))  # <--
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
