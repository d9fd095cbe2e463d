"""A parameter that the step says is to stay constant, and that gets a gradient."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..capture.frames import Line
from ..rule import Fault, Rule, Severity

WHAT = "it was meant to stay constant and got a gradient"


def check(analysis: Analysis) -> Iterator[Fault]:
    """Each of `expect_constant` that got a gradient, with the line that brought it."""
    found: dict[Line | None, list[str]] = {}
    for name in sorted(analysis.constant & analysis.once.keys()):
        if analysis.states.get(name) not in ("gradient", "zero"):
            continue
        bit = analysis.bit(analysis.tensor(name))
        node = next(
            (n for run in analysis.passes for n, targets in run.next.items() if ~bit in targets), None
        )
        line = analysis.made_by(node).line if node is not None else None
        found.setdefault(line, []).append(name)
    for line, names in found.items():
        meant = f"{listed(names)} {verb(names, 'is', 'are')} meant to stay constant"
        yield Fault(
            line, tuple(names), f"{meant} but {verb(names, 'gets', 'get')} a gradient from this line."
        )


RULE = Rule(
    kind="expect_constant",
    title="Gradient where none is wanted",
    what=WHAT,
    why="What is meant as a constant (a target, another player's network) is trained by this loss.",
    instead="Call `.detach()` on the value before it enters the loss, or compute it under `torch.no_grad()`.",
    severity=Severity.UNMEANT,
    bad="""
import torch
from torch import nn

actor, critic, x = nn.Linear(3, 2), nn.Linear(2, 1), torch.ones(8, 3)


def step():
    return -critic(actor(x)).mean()  # <--
""",
    good="""
import torch
from torch import nn

actor, critic, x = nn.Linear(3, 2), nn.Linear(2, 1), torch.ones(8, 3)


def step():
    return -nn.functional.linear(actor(x), critic.weight.detach(), critic.bias.detach()).mean()
""",
    check=check,
    constant=("critic.weight", "critic.bias"),
)
