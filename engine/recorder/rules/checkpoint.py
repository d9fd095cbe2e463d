"""A reentrant activation checkpoint none of whose inputs requires grad."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import starved_by

WHAT = "a reentrant checkpoint records nothing unless one of its inputs requires grad"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from starved_by("checkpoint", WHAT, analysis)


RULE = Rule(
    kind="checkpoint",
    title="Reentrant checkpoint without a tracked input",
    what=WHAT,
    why="The layers in the checkpoint run, but no gradient reaches them.",
    instead="Pass `use_reentrant=False`, which works whether or not an input requires grad.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    hidden = checkpoint(net, x, use_reentrant=True)  # <--
    return head(hidden).pow(2).mean()
""",
    good="""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    hidden = checkpoint(net, x, use_reentrant=False)
    return head(hidden).pow(2).mean()
""",
    check=check,
)
