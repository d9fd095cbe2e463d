"""Nothing to diagnose: no `backward()` ran, or no parameter was found. That is no clean bill of health."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "nothing can be said about gradients"


def check(analysis: Analysis) -> Iterator[Fault]:
    """A step without a backward pass, or without a parameter."""
    if analysis.raised is not None:
        return
    given = any(event.kind == "set_grad" for event in analysis.events)
    taken = analysis.by_hand and any(call.operation == "autograd.grad" for call in analysis.calls)
    if not analysis.passes and not given and not taken:
        text = "No `backward()` ran, so nothing can be said about gradients."
        yield Fault(None, (), text, "Include the call of `backward()` in what is recorded.")
    elif not analysis.states and not analysis.hidden and not _computed_in_its_place(analysis):
        text = "No parameter was found in the variables that the step uses, so nothing can be said about its gradients."
        yield Fault(None, (), text)


def _computed_in_its_place(analysis: Analysis) -> bool:
    """Whether what was to be a parameter was found, and is none."""
    return bool(analysis.lost) or any(one.lost for one in analysis.computed)


RULE = Rule(
    kind="not_in_graph",
    title="Nothing to diagnose",
    what=WHAT,
    why="Without a backward pass and without a parameter there is no gradient to look at.",
    instead="Keep what is trained in a variable outside `step()`, name it (`names={'weight': weight}`), or pass its optimizer.",
    severity=Severity.RAISED,
    bad="""
import torch


def step():
    return torch.ones(3, requires_grad=True).sum()
""",
    good="""
import torch

weight = torch.ones(3, requires_grad=True)


def step():
    return weight.sum()
""",
    check=check,
)
