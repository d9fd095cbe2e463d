"""A loss or a gradient of nan or infinity, and the operation that made the first one.

Infinity is a value like any other on the way (a mask of `-inf` before a softmax), so nothing is said while the loss
and the gradients are finite. Where they are not, the way is walked back from there to the first call that made
such a value out of finite ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..capture.data_flow import Call, Entry
from ..capture.tensors import is_plain
from ..record import Array
from ..rule import Fault, Rule, Severity

WHAT = "a value is nan or infinite"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    if analysis.raised is not None:
        return
    losses = [analysis.loss_value, *(run.loss for run in analysis.passes if run.to_leaves)]
    loss = next((one for one in losses if one is not None and not math.isfinite(one)), None)
    if loss is not None:
        yield _in_the_loss(loss, analysis)
        return
    names = _not_finite(analysis)
    if not names:
        return
    who = f"{verb(names, 'The gradient', 'The gradients')} of {listed(names)} {verb(names, 'is', 'are')} not finite"
    made = _first_nan(analysis)
    if made is not None:
        yield Fault(made.line, tuple(names), f"{who}: `{made.operation}` makes nan here.")
        return
    call = _first_in_backward(analysis)
    why = f": the derivative of `{call.operation}` is not finite here." if call is not None else "."
    yield Fault(call.line if call is not None else None, tuple(names), who + why)


def _in_the_loss(loss: float, analysis: Analysis) -> Fault:
    root = next((e for e in reversed(analysis.roots) if not _finite(e)), None)
    origin = _origin(root, analysis) if root is not None else None
    weight = 1  # before any gradient's
    if origin is None or origin.call is None:
        named = (
            f": `{origin.name}` holds values that are not finite"
            if origin is not None and origin.name
            else ""
        )
        return Fault(None, (), f"The loss is {loss}{named}.", weight=weight)
    text = f"The loss is {loss}: `{origin.call.operation}` makes the first value that is not finite on this line."
    return Fault(origin.call.line, (), text, weight=weight)


def _origin(entry: Entry, analysis: Analysis) -> Entry:
    """The first entry on the way to this one that is not finite."""
    seen: set[int] = set()
    while True:
        seen.add(id(entry))
        back = next((e for e in analysis.before_entry(entry) if id(e) not in seen and not _finite(e)), None)
        if back is None:
            return entry
        entry = back


def _finite(entry: Entry) -> bool:
    """Whether no value is known that is not finite."""
    if entry.content is None:
        return True
    record = entry.record()
    if record.values is None:
        return record.measured is None or all(math.isfinite(number) for number in record.measured)
    return _all_finite(record.values)


def _all_finite(values: Array) -> bool:
    return values.dtype.kind not in "fc" or bool(np.isfinite(values).all())


def _not_finite(analysis: Analysis) -> list[str]:
    """The parameters whose gradients are not finite. A sum settles nearly all: where it is finite, so are its terms.

    It is the fastest reduction by far, and one that overflows only costs a closer look.
    """
    found: list[str] = []
    for name, tensor in analysis.once.items():
        gradient = tensor.grad
        if gradient is not None and is_plain(gradient) and gradient.is_floating_point():
            numbers = gradient.detach()
            if not math.isfinite(numbers.sum()) and not bool(torch.isfinite(numbers).all()):
                found.append(name)
    return found


def _first_nan(analysis: Analysis) -> Call | None:
    """The first call that made nan out of inputs without one, though the loss does not show it."""
    for call in analysis.calls:
        if (
            call.in_step
            and any(_has_nan(e) for e in call.outputs)
            and not any(_has_nan(e) for e in call.inputs)
        ):
            return call
    return None


def _has_nan(entry: Entry) -> bool:
    if entry.content is None:
        return False
    record = entry.record()
    if record.values is None:
        return record.measured is not None and any(math.isnan(number) for number in record.measured)
    return record.values.dtype.kind in "fc" and bool(np.isnan(record.values).any())


def _first_in_backward(analysis: Analysis) -> Call | None:
    """The call nearest to the loss that got a finite gradient and sent one back that is not."""
    calls = [
        c for c in analysis.calls if any(_bad(e) for e in c.inputs) and not any(_bad(e) for e in c.outputs)
    ]
    return max(calls, key=lambda call: call.number, default=None)


def _bad(entry: Entry) -> bool:
    return entry.gradient is not None and not _all_finite(entry.gradient)


RULE = Rule(
    kind="non_finite",
    title="Value that is not finite",
    what=WHAT,
    why="One nan or infinity in the loss or in a gradient makes every weight that it reaches nan.",
    instead="Keep what goes in where the operation and its derivative are defined: `log_softmax` for the log of a softmax, `clamp(min=eps)` before `log`, `sqrt` or a division.",
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
    loss = (1 + chance).log().mean()
    return loss
""",
    check=check,
)
