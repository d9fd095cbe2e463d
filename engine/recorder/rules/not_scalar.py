"""A loss of many numbers: `backward()` has no single one to start from."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "`backward()` starts from a single number"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    if analysis.raised is None or "implicitly created only for scalar outputs" not in analysis.raised.message:
        return
    loss = next((r for r in reversed(analysis.roots) if r.content is not None and r.record().shape), None)
    if loss is not None:
        shape = loss.record().shape
        text = f"The loss has shape {shape}, but {WHAT}: return `loss.mean()` or `loss.sum()`."
        yield Fault(loss.call.line if loss.call is not None else None, (), text)


RULE = Rule(
    kind="not_scalar",
    title="Loss that is not a scalar",
    what=WHAT,
    why="`backward()` has no single number to start from, and raises an error.",
    instead="Return `loss.mean()` or `loss.sum()`; in a step that calls `backward()` itself, call it on one of these.",
    severity=Severity.RAISED,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)


def step():
    return net(x).pow(2)  # <--
""",
    good="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)


def step():
    return net(x).pow(2).mean()
""",
    check=check,
)
