"""A loss or a gradient of nan or infinity, and the operation that made the first one.

Infinity is a value like any other on the way (a mask of `-inf` before a softmax), so nothing is said while the loss
and the gradients are finite. Where they are not, the way is walked back from there to the first call that made
such a value out of finite ones; for a gradient, to the first that got a finite one and sent on one that is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..analysis.not_finite import FirstBad, finite, first_bad, has_infinity, has_nan, origin
from ..capture.data_flow import Entry
from ..capture.frames import Line
from ..rule import Fault, Rule, Severity

WHAT = "a value is nan or infinite"
BEFORE = (
    "Clamp or mask the input of `{}`: a mask on its result comes too late, because in the backward pass its zeros are "
    "multiplied by a derivative that is not finite, which gives nan."
)
TOO_LARGE = (
    "`with torch.autograd.detect_anomaly():` around the step names the operation; or try a smaller batch."
)
CLIPPED = "is non-finite, so it cannot be clipped"
ANOMALY = r"Function '(\w+?)Backward\d*' returned nan values"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    raised, severity = analysis.raised, None
    if raised is not None:
        found = re.search(ANOMALY, raised.message)
        if found is not None:
            yield _anomaly(found[1], analysis)
        if CLIPPED not in raised.message:
            return
        severity = Severity.RAISED
    losses = [analysis.loss_value, *(run.loss for run in analysis.passes)]
    loss = next((one for one in losses if one is not None and not math.isfinite(one)), None)
    if raised is None and loss is not None:
        yield _in_the_loss(loss, analysis)
        return
    names = _not_finite(analysis)
    if not names:
        return
    who = f"{verb(names, 'The gradient', 'The gradients')} of {listed(names)} {verb(names, 'is', 'are')} not finite"
    first = first_bad(analysis)
    if first is None:
        text = f"{who}; the tensors in between are too large to be kept, so where it began is not known."
        yield Fault(None, tuple(names), text, TOO_LARGE, severity)
        return
    yield Fault(first.line, tuple(names), f"{who}: {_why(first)}.", _instead(first), severity)


def _why(first: FirstBad) -> str:
    if first.by_a_hook:
        return "a hook replaces the gradient by such a value"
    if first.makes_value:
        return f"`{first.operation}` produces the first non-finite value here"
    return f"the derivative of `{first.operation}` is not finite here"


def _instead(first: FirstBad) -> str:
    return BEFORE.format(first.operation) if first.masked or first.makes_value else ""


def _anomaly(function: str, analysis: Analysis) -> Fault:
    """What torch's own detection of anomalies raised, which looks for nan only: an infinity may have come before."""
    first = first_bad(analysis)
    if first is not None:
        text = f"RuntimeError: {_why(first)}."
        return Fault(first.line, (), text, _instead(first), Severity.RAISED)
    run = analysis.passes[-1] if analysis.passes else None
    left = (
        sorted((node for node in run.next if node not in run.sent), reverse=True) if run is not None else []
    )
    made = next((m for m in map(analysis.made_by, left) if _stem(m.operation) == function.lower()), None)
    line: Line | None = made.line if made is not None else analysis.raised_line
    operation = made.operation if made is not None else function
    text = f"RuntimeError: the derivative of `{operation}` is nan{' here' if made is not None else ''}."
    return Fault(line, (), text, severity=Severity.RAISED)


def _stem(operation: str) -> str:
    return operation.strip("_").replace("_", "")


def _in_the_loss(loss: float, analysis: Analysis) -> Fault:
    root = next((e for e in reversed(analysis.roots) if _not_all_finite(e)), None)
    first = origin(root, _not_all_finite, analysis) if root is not None else None
    weight = 1  # before any gradient's
    if first is None or first.call is None:
        named = f": `{first.name}` holds non-finite values" if first is not None and first.name else ""
        return Fault(None, (), f"The loss is {loss}{named}.", weight=weight)
    text = f"The loss is {loss}: `{first.call.operation}` produces the first non-finite value on this line."
    return Fault(first.call.line, (), text, weight=weight)


def _not_all_finite(entry: Entry) -> bool:
    return has_nan(entry) or has_infinity(entry)


def _not_finite(analysis: Analysis) -> list[str]:
    """The parameters whose gradients are not finite."""
    return [
        name for name, tensor in analysis.once.items() if tensor.grad is not None and not finite(tensor.grad)
    ]


RULE = Rule(
    kind="non_finite",
    title="Non-finite value",
    what=WHAT,
    why="One nan or infinity in the loss or in a gradient makes every weight that it reaches nan.",
    instead="Keep the inputs where the operation and its derivative are finite: `log_softmax` for the log of a softmax, `clamp(min=eps)` before `log`, `sqrt` or a division.",
    severity=Severity.NOT_FINITE,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    chance = net(x).pow(2)
    loss = (-chance).log().mean()  # <--
    return loss
""",
    good="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    chance = net(x).pow(2)
    loss = chance.clamp(min=1e-9).log().mean()
    return loss
""",
    check=check,
)
