"""An operation whose result is integers or booleans, on the way to the loss."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import raised_as, starved_by

WHAT = "the result consists of integers or booleans, which have no derivative"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from starved_by("integer", WHAT, analysis, which=lambda cut: cut.rule == "integer")
    yield from raised_as(
        r"floating point (and complex )?(dtype )?can require grad|of floating point", WHAT, analysis
    )


RULE = Rule(
    kind="integer",
    title="Integers or booleans on the path",
    what=WHAT,
    why="An index, a comparison or a cast to integers has no derivative, so nothing before it can learn through it.",
    instead="Use a soft version (`softmax`, `sigmoid`, a weighted sum) or a straight-through estimator.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, table, x = nn.Linear(3, 4), nn.Embedding(4, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *table.parameters()], lr=0.1)


def step():
    chosen = table(net(x).argmax(1))  # <--
    return chosen.pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, table, x = nn.Linear(3, 4), nn.Embedding(4, 1), torch.randn(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *table.parameters()], lr=0.1)


def step():
    chosen = net(x).softmax(1) @ table.weight
    return chosen.pow(2).mean()
""",
    check=check,
)
