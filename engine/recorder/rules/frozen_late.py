"""A parameter that is frozen after the forward pass used it, or unfrozen too late for it."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "`requires_grad` is changed after the forward pass has used the tensor"


def check(analysis: Analysis) -> Iterator[Fault]:
    """One fault for each line that switches too late, with all that it comes too late for."""
    for switch in analysis.late_switches:
        names = switch.names
        who = listed(names) if all(names) else "A tensor"
        used = f"the forward pass has used {verb(names, 'it', 'them')}"
        if switch.kind == "freeze":
            text = f"{who} {verb(names, 'is', 'are')} frozen here, after {used} and before `backward()`."
        else:
            text = f"{who} {verb(names, 'requires', 'require')} a gradient from here on, but {used} already."
        known = tuple(name for name in names if name in analysis.names.parameters)
        yield Fault(
            switch.line, known, text, severity=Severity.RAISED if switch.raised else None, weight=len(names)
        )  # fmt: skip


RULE = Rule(
    kind="frozen",
    title="Frozen or unfrozen too late",
    what=WHAT,
    why="Autograd reads `requires_grad` during the forward pass; a later change comes too late for this step.",
    instead="Call `requires_grad_(False)`, or `requires_grad_(True)`, before the forward pass.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)


def step():
    loss = head(net(x)).pow(2).mean()
    net.requires_grad_(False)  # <--
    return loss
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)


def step():
    loss = head(net(x)).pow(2).mean()
    net.requires_grad_(True)
    return loss
""",
    check=check,
)
