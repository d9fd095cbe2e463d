"""A second backward pass through a graph that the first one freed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torch import Tensor

from ..analysis.analysis import Analysis
from ..capture.frames import Line
from ..capture.tensors import grad_fn_of
from ..capture.torch_private import number_of
from ..rule import Fault, Rule, Severity
from ..starving import raised_as

WHAT = "the graph was freed by the first backward pass through it"
PATTERN = r"through the graph a second time|after they have already been freed"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    if not _raised(analysis):
        return
    line, names = _shared(analysis)
    more = " Both passes go through the result of this line." if line is not None else ""
    yield from raised_as(PATTERN, WHAT, analysis, line=line, more=more, names=names)


def _raised(analysis: Analysis) -> bool:
    return analysis.raised is not None and re.search(PATTERN, analysis.raised.message) is not None


def _shared(analysis: Analysis) -> tuple[Line | None, list[str]]:
    """The last line whose graph the failed pass has in common with what came before, and who holds it."""
    runs = analysis.passes
    if not runs:
        return None, []
    last = runs[-1]
    earlier = set().union(*(run.next for run in runs[:-1])) if len(runs) > 1 else set()
    begin = analysis.first_node
    old = [node for node in last.next if node in earlier or node < begin]
    lines = [line for node in sorted(old, reverse=True) if (line := analysis.made_by(node).line) is not None]
    holders = [
        name
        for name, value in analysis.before.variables.items()
        if isinstance(value, Tensor)
        and (node := grad_fn_of(value)) is not None
        and number_of(node) in last.next
    ]
    return (lines[0] if lines else None), holders


RULE = Rule(
    kind="freed_graph",
    title="Graph used a second time",
    what=WHAT,
    why="`backward()` frees the saved values; a second pass through the same part of the graph no longer finds them.",
    instead="Recompute it in each step, or `detach()` what is carried over; use `retain_graph=True` only to backpropagate through the same graph twice.",
    severity=Severity.RAISED,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
scale = nn.Parameter(torch.ones(1))
doubled = scale * scale  # <--


def step():
    return (net(x) * doubled).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
scale = nn.Parameter(torch.ones(1))
doubled = (scale * scale).detach()


def step():
    return (net(x) * doubled).pow(2).mean()
""",
    check=check,
    calls=2,
)
