"""Edits of memory that the graph uses, made where autograd does not see them: what three rules share."""

from __future__ import annotations

from collections.abc import Iterator

from ..text import listed
from .analysis.analysis import Analysis
from .capture.data_flow import Call, Entry
from .capture.frames import Line
from .rule import Fault, Severity

_NO_EDIT = frozenset(
    [
        "data=",
        "detach_",
        "squeeze_",
        "unsqueeze_",
        "t_",
        "transpose_",
        "swapaxes_",
        "swapdims_",
        "as_strided_",
        "set_",
    ]
)
"""In-place calls that leave the numbers as they are, or give the tensor another memory."""


def edited_behind_autograd(kind: str, analysis: Analysis) -> Iterator[Fault]:
    """Edits of a kind (by `.data`, a detached alias, in place) of numbers that the loss was computed from."""
    if analysis.raised is not None:
        return
    seen: set[Line | None] = set()
    for call in analysis.calls:
        if (
            not call.in_place
            or not call.in_step
            or call.line is None
            or call.function is not None
            or not call.outputs
            or call.operation in _NO_EDIT
        ):
            continue
        touched = _tracked_victims(call, analysis)
        if not touched:
            continue
        by, line = _alias_of(call)
        if by != kind or line in seen:
            continue
        seen.add(line)
        bits = 0
        for entry in touched:
            bits |= entry.tracked
        names = analysis.trainable_among(analysis.named(bits))
        where = f" (edited on line {call.line.line})" if line != call.line else ""
        text = (
            f"This shares its memory with a tensor that the loss is computed from, and is edited{where}: "
            f"the loss changes and autograd does not know, so the gradients of {listed(names)} are wrong."
        )
        yield Fault(line, tuple(names), text, severity=Severity.WRONG)


def _tracked_victims(call: Call, analysis: Analysis) -> list[Entry]:
    """Tensors of the graph whose numbers an in-place call changes without autograd's notice."""
    written = call.outputs[0]
    before = call.inputs[0] if call.inputs else written
    if written.tracked and written.sequence != before.sequence:
        return []  # autograd saw it
    victims = []
    for entry in analysis.flow.sharing(call.storage):
        if not entry.tracked or entry.born > call.number or id(entry) not in analysis.into_loss:
            continue
        if entry.leaf is None or _used_before(entry, call, analysis):
            victims.append(entry)
    return victims


def _used_before(leaf: Entry, call: Call, analysis: Analysis) -> bool:
    """Whether the loss used a leaf before the edit and is backpropagated after it."""
    later = [run for run in analysis.passes if run.number > call.number]
    return any(
        user.number < call.number
        and any(id(o) in analysis.into_loss for o in user.outputs)
        and any(user.outputs[0].sequence in run.next for run in later)
        for user in analysis.users.get(id(leaf), ())
        if not user.in_place and user.outputs
    )


def _alias_of(call: Call) -> tuple[str, Line | None]:
    """How the edited alias was made: the kind and the line."""
    entry: Entry | None = call.inputs[0] if call.inputs else None
    while entry is not None:
        made = entry.call
        if made is None:
            entry = entry.previous[0] if entry.previous else None
        elif made.operation in ("data", "detach"):
            return ("data" if made.operation == "data" else "alias"), made.line
        else:
            entry = made.inputs[0] if made.inputs else None
    return "inplace", call.line
