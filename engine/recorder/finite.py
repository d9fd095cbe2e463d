"""Values that are not finite: a loss or a gradient of nan or infinity, and the operation that made the first one.

Infinity is a value like any other on the way (a mask of `-inf` before a softmax), so nothing is said while the loss
and the gradients are finite. Where they are not, the way is walked back from there to the first call that made
such a value out of finite ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch

from .analysis.facts import Scene, before
from .capture.data_flow import Call, Entry
from .capture.tensors import is_plain
from .record import Array
from .suggestions import listed, verb
from .warned import Warned, warned


def warn_of_non_finite(scene: Scene) -> Iterator[Warned]:
    """The finding about a loss, or else about gradients, that are not finite."""
    if scene.raised is not None:
        return
    loss = scene.recorder.loss_value
    if loss is not None and not math.isfinite(loss):
        yield from _in_the_loss(scene, loss)
        return
    names = _not_finite(scene)
    if names:
        made = _first_nan(scene)
        if made is not None:
            text = f"{verb(names, 'The gradient', 'The gradients')} of {listed(names)} {verb(names, 'is', 'are')} not finite: "
            yield warned(150, "non_finite", made.line, names, f"{text}`{made.operation}` makes nan here.")
            return
        call = _first_in_backward(scene)
        text = f"{verb(names, 'The gradient', 'The gradients')} of {listed(names)} {verb(names, 'is', 'are')} not finite"
        text += f": the derivative of `{call.operation}` is not finite here." if call is not None else "."
        yield warned(150, "non_finite", call.line if call is not None else None, names, text)


def _in_the_loss(scene: Scene, loss: float) -> Iterator[Warned]:
    root = next((e for e in reversed(scene.roots) if not _finite(e)), None)
    origin = _origin(root) if root is not None else None
    if origin is None or origin.call is None:
        what = (
            f": `{origin.name}` holds values that are not finite"
            if origin is not None and origin.name
            else ""
        )
        yield warned(900, "non_finite", None, (), f"The loss is {loss}{what}.")
        return
    text = f"The loss is {loss}: `{origin.call.operation}` makes the first value that is not finite on this line."
    yield warned(900, "non_finite", origin.call.line, (), text)


def _origin(entry: Entry) -> Entry:
    """The first entry on the way to this one that is not finite."""
    seen: set[int] = set()
    while True:
        seen.add(id(entry))
        back = next((e for e in before(entry) if id(e) not in seen and not _finite(e)), None)
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


def _not_finite(scene: Scene) -> list[str]:
    """The parameters whose gradients are not finite. A sum settles nearly all: where it is finite, so are its terms.

    It is the fastest reduction by far, and one that overflows only costs a closer look.
    """
    found: list[str] = []
    for name, tensor in scene.names.parameters.items():
        gradient = tensor.grad
        if gradient is not None and is_plain(gradient) and gradient.is_floating_point():
            numbers = gradient.detach()
            if not math.isfinite(numbers.sum()) and not bool(torch.isfinite(numbers).all()):
                found.append(name)
    return found


def _first_nan(scene: Scene) -> Call | None:
    """The first call that made nan out of inputs without one, though the loss does not show it."""
    for call in scene.tape.calls:
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


def _first_in_backward(scene: Scene) -> Call | None:
    """The call nearest to the loss that got a finite gradient and sent one back that is not."""
    calls = [
        c for c in scene.tape.calls if any(_bad(e) for e in c.inputs) and not any(_bad(e) for e in c.outputs)
    ]
    return max(calls, key=lambda call: call.number, default=None)


def _bad(entry: Entry) -> bool:
    return entry.gradient is not None and not _all_finite(entry.gradient)
