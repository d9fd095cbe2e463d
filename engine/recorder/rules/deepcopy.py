"""A `copy.deepcopy` of what is to be trained, or of a tensor that has a history."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import raised_as, starved_by

WHAT = "a deep copy has leaves of its own, with no path back to the original"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from starved_by("deepcopy", WHAT, analysis)
    yield from raised_as(r"deepcopy protocol", WHAT, analysis)


RULE = Rule(
    kind="deepcopy",
    title="Deep copy used in place of the original",
    what=WHAT,
    why="The gradient goes to the copy's parameters; the original, which the optimizer holds, does not learn.",
    instead="Use `torch.func.functional_call`, not `copy.deepcopy`, with tensors computed from the original; or train the copy itself.",
    severity=Severity.STARVED,
    bad="""
import copy

import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    fast = copy.deepcopy(net)  # <--
    return fast(x).pow(2).mean()
""",
    good="""
import copy

import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    fast = net
    return fast(x).pow(2).mean()
""",
    check=check,
)
