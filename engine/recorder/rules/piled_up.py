"""Gradients that no step ever clears."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed
from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "gradients are never cleared, so they accumulate"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    if analysis.calls_made < 2:
        return
    piled = sorted(
        name for name in analysis.had_gradients & analysis.once.keys() if _never_cleared(name, analysis)
    )
    if piled:
        run = next((run for run in analysis.passes if run.line is not None), None)
        text = f"The gradients of {listed(piled)} are never cleared, so each step adds to those of all earlier steps."
        yield Fault(run.line if run is not None else None, tuple(piled), text)


def _never_cleared(name: str, analysis: Analysis) -> bool:
    """Whether an optimizer moved a parameter in this step that had a gradient before, with no clearing in between."""
    tensor = analysis.names.parameters.get(name)
    if tensor is None or not analysis.arrivals(tensor) or name in analysis.spent or name in analysis.wiped:
        return False
    first = min((run.number for run in analysis.passes), default=0)
    anew = any(e.kind == "set_grad" and e.number < first for e in analysis.events_of(tensor))
    given = {e.number for e in analysis.events_of(tensor) if e.kind == "set_grad"}
    cleared = any(c.clears and c.number not in given for c in analysis.uses.changes(tensor))
    moved = any(e.kind == "optimizer" for e in analysis.events_of(tensor))
    return moved and not anew and not cleared


RULE = Rule(
    kind="zero_grad",
    title="Gradients never cleared",
    what=WHAT,
    why="Each step uses the sum of its own gradient and those of all earlier steps.",
    instead="Call `zero_grad()` once per step, before `backward()`: `zero_grad, forward, backward, step`.",
    severity=Severity.WRONG,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    loss = net(x).pow(2).mean()
    loss.backward()  # <--
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
    optimizer.zero_grad(), loss.backward()
    optimizer.step()
    return loss.detach()
""",
    check=check,
    calls=3,
)
