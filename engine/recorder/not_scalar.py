"""A loss of many numbers: `backward()` has no single one to start from."""

from __future__ import annotations

from collections.abc import Iterator

from .analysis.facts import Scene
from .warned import Warned, warned


def warn_of_shape(scene: Scene) -> Iterator[Warned]:
    """The finding about a loss that is not scalar, with the line that made it."""
    if scene.raised is None or "implicitly created only for scalar outputs" not in scene.raised.message:
        return
    loss = next(
        (root for root in reversed(scene.roots) if root.content is not None and root.record().shape), None
    )
    if loss is None:
        return
    shape = loss.record().shape
    text = f"The loss has shape {shape}, and `backward()` starts from one number: return `loss.mean()` or `loss.sum()`."
    line = loss.call.line if loss.call is not None else None
    yield warned(1000, "not_scalar", line, (), text)
