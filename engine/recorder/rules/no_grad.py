"""A `no_grad` block (or decorator, or `set_grad_enabled(False)`) around what is to be trained."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import starved_by

WHAT = "gradients are switched off here, so nothing computed here is recorded"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from starved_by("no_grad", WHAT, analysis, which=lambda cut: not cut.drawn)


RULE = Rule(
    kind="no_grad",
    title="Gradients switched off",
    what=WHAT,
    why="What is computed in the block has no history, so nothing in it or before it learns from what comes after.",
    instead="Move what must be trained out of the `no_grad` block; if it only wraps frozen layers, freeze them with `requires_grad_(False)` instead, which still lets gradients through.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    with torch.no_grad():  # <--
        hidden = net(x)
    return head(hidden).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    with torch.enable_grad():
        hidden = net(x)
    return head(hidden).pow(2).mean()
""",
    check=check,
)
