"""A variable whose graph grows from call to call."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

from ..analysis.analysis import Analysis
from ..capture.frames import Line
from ..capture.growth import holders
from ..capture.source_text import line_that_adds
from ..rule import Fault, Rule, Severity

WHAT = "its graph grows with every call, and all of it stays in memory"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    for name in analysis.growing:
        text = f"`{name}` keeps its history: {WHAT}."
        yield Fault(_line(name, analysis), (name,), text)


def _line(name: str, analysis: Analysis) -> Line | None:
    """The line that adds to the variable, or that made what it last got."""
    made = _made(name, analysis)
    files = dict.fromkeys([analysis.file, *([made.file] if made is not None else [])])
    added = (line_that_adds(file, name.rpartition(".")[2].partition("[")[0]) for file in files)
    return next((line for line in added if line is not None), made)


def _made(name: str, analysis: Analysis) -> Line | None:
    held: list[Tensor] = []
    for variable, value in analysis.names.variables.items():
        if name == variable or name.startswith(f"{variable}.") or not variable:
            held += [t for path, tensors in holders(variable, value) if path == name for t in tensors]
    entries = [e for t in held[-50:] if (e := analysis.flow.look_up(t)) is not None and e.call is not None]
    return entries[-1].call.line if entries and entries[-1].call is not None else None


RULE = Rule(
    kind="growth",
    title="Growing graph",
    what=WHAT,
    why="A tensor that is kept holds on to its graph and to everything saved in it, so memory use grows until none is left.",
    instead="Keep only its `.detach()` or `.item()`.",
    severity=Severity.WASTE,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
losses = []


def step():
    loss = net(x).pow(2).mean()
    losses.append(loss)  # <--
    return loss
""",
    good="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
losses = []


def step():
    loss = net(x).pow(2).mean()
    losses.append(loss.item())
    return loss
""",
    check=check,
    calls=3,
)
