"""A loss of many numbers: `backward()` has no single one to start from."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "`backward()` starts from one number"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    if analysis.raised is None or "implicitly created only for scalar outputs" not in analysis.raised.message:
        return
    loss = next((r for r in reversed(analysis.roots) if r.content is not None and r.record().shape), None)
    if loss is not None:
        shape = loss.record().shape
        text = f"The loss has shape {shape}, and {WHAT}: return `loss.mean()` or `loss.sum()`."
        yield Fault(loss.call.line if loss.call is not None else None, (), text)


RULE = Rule(
    kind="not_scalar",
    title="Loss of many numbers",
    what=WHAT,
    why="`backward()` has no single number to start from, and refuses.",
    instead="`return loss.mean()` or `return loss.sum()`; a step that calls `backward()` itself calls it on that.",
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
