"""A loss into which only frozen parameters went."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed
from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "`requires_grad` is False"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    if analysis.cannot_train and not analysis.explained and analysis.frozen_in_loss:
        frozen = analysis.frozen_in_loss
        text = f"Nothing in the loss requires a gradient: it is computed from {listed(frozen)}, whose {WHAT}."
        yield Fault(analysis.frozen_at(frozen), tuple(frozen), text)


RULE = Rule(
    kind="frozen",
    title="Everything is frozen",
    what=WHAT,
    why="`backward()` has nothing to compute a gradient for, and raises an error.",
    instead="Call `requires_grad_(True)` on what must learn; a layer that must stay as it is also needs `.eval()`.",
    severity=Severity.REFUSED,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
net.requires_grad_(False)  # <--
bias = torch.zeros(1)


def step():
    return (net(x) + bias).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
net.requires_grad_(True)
bias = torch.zeros(1)


def step():
    return (net(x) + bias).pow(2).mean()
""",
    check=check,
)
