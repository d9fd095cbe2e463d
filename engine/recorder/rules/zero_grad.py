"""A gradient that is cleared before anything used it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from torch import Tensor

from ...text import listed
from ..analysis.analysis import Analysis
from ..capture.frames import Line
from ..rule import Fault, Rule, Severity

WHAT = "the gradient is cleared at the wrong time"


def check(analysis: Analysis) -> Iterator[Fault]:
    """Cleared between two passes of one loop, or before any optimizer's step."""
    several = analysis.once.items() if len(analysis.passes) > 1 else ()
    thrown = {name: _thrown_away(tensor, analysis) for name, tensor in several}
    for line, names in _by_line({n: line for n, line in thrown.items() if line is not None}, analysis):
        text = f"The gradients of {listed(names)} are cleared here between two passes of the same loop, before any step used them."
        advice = "Clear them once before the loop, so that its passes add up; or step after each pass."
        yield Fault(line, tuple(names), text, advice, weight=len(names))
    for line, names in _by_line(analysis.wiped, analysis):
        text = f"{listed(names)} got a gradient that was cleared here before anything used it."
        yield Fault(line, tuple(names), text, weight=len(names))


def _by_line(lines: Mapping[str, Line | None], analysis: Analysis) -> Iterable[tuple[Line | None, list[str]]]:
    """The trainable ones among some parameters, together by their lines."""
    found: dict[Line | None, list[str]] = {}
    for name in analysis.trainable_among(lines):
        found.setdefault(lines[name], []).append(name)
    return found.items()


def _thrown_away(tensor: Tensor, analysis: Analysis) -> Line | None:
    """The line that cleared what one pass brought before the same line's next pass, with no step in between.

    A step of any optimizer ends the gathering: what an actor's loss sent into the critic is cleared after it on purpose.
    """
    passes = [run for run, state in analysis.arrivals(tensor) if state == "value"]
    events = analysis.events_of(tensor) if len(passes) > 1 else []
    for one, other in pairwise(passes):
        cleared = [e for e in events if e.kind == "clear" and one.number < e.number < other.number]
        if (
            one.line == other.line
            and cleared
            and not analysis.uses.stepped_between(one.number, cleared[0].number)
            and not analysis.uses.between(tensor, one.number, cleared[0].number)
        ):
            return cleared[0].line
    return None


RULE = Rule(
    kind="zero_grad",
    title="Gradient cleared too early",
    what=WHAT,
    why="The gradient is gone before the optimizer's step can use it.",
    instead="Call `zero_grad()` once per step, before `backward()`: `zero_grad, forward, backward, step`.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    loss = net(x).pow(2).mean()
    loss.backward()
    optimizer.zero_grad()  # <--
    optimizer.step()
    return loss.detach()
""",
    good="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    loss = net(x).pow(2).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    return loss.detach()
""",
    check=check,
)
