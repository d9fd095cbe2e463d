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
    why="The gradient ends at the new leaf; what computed its values does not learn.",
    instead="Use the tensor as it is; create an `nn.Parameter` once, in `__init__`, for what is itself to be trained.",
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
