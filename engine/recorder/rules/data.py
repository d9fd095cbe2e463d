"""A `.data` on the way to the loss, or an edit through it of what the loss was computed from."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..memory_edits import edited_behind_autograd
from ..rule import Fault, Rule, Severity
from ..starving import starved_by

WHAT = "`.data` bypasses autograd: what is read or written through it has no history"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from starved_by("data", WHAT, analysis)
    yield from edited_behind_autograd("data", analysis)


RULE = Rule(
    kind="data",
    title="Autograd bypassed by `.data`",
    what=WHAT,
    why="What is read through `.data` has no history; what is written through it changes the loss without autograd noticing.",
    instead="Compute with the tensor itself, not with its `.data`; to edit values use `with torch.no_grad():`, which autograd can check, or work on a `.clone()`.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    hidden = net(x).data  # <--
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
