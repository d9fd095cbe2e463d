"""The terms of a loss: what it is a sum of, or a multiple of.

`loss / 4`, `scaler.scale(loss)` and `d_loss + g_loss` have the same terms as the losses in them. So a step that has
backpropagated all terms of what it returns has backpropagated the loss itself, whatever it returns for the log.
"""

from __future__ import annotations

from collections.abc import Iterator

from .data_flow import Entry

_ADDING = frozenset(
    [
        "add",
        "add_",
        "sub",
        "sub_",
        "rsub",
        "sum",
        "neg",
        "stack",
        "cat",
        "__add__",
        "__radd__",
        "__iadd__",
        "__sub__",
        "__rsub__",
        "__isub__",
        "__neg__",
    ]
)
_SCALING = frozenset(
    [
        "mul",
        "mul_",
        "div",
        "div_",
        "true_divide",
        "mean",
        "clone",
        "__mul__",
        "__rmul__",
        "__imul__",
        "__truediv__",
        "__itruediv__",
    ]
)


def summands(root: Entry) -> Iterator[Entry]:
    """The scalars that `root` is a weighted sum of; `root` itself where it is no sum."""
    todo, seen = [root], set()
    while todo:
        entry = todo.pop()
        if id(entry) in seen:
            continue
        seen.add(id(entry))
        parts = _parts(entry)
        if parts:
            todo.extend(parts)
        else:
            yield entry


def _parts(entry: Entry) -> tuple[Entry, ...]:
    call = entry.call
    if call is None or call.sink or not call.inputs or not all(part.scalar for part in call.inputs):
        return ()
    if call.operation in _ADDING:
        return call.inputs
    if call.operation in _SCALING:
        moving = call.inputs if len(call.inputs) == 1 else tuple(part for part in call.inputs if part.tracked)
        return moving if len(moving) == 1 else ()
    return ()
