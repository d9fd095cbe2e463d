"""Edits of memory that the graph uses, made where autograd does not see them: what three rules share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..text import listed
from .analysis.analysis import Analysis
from .capture.data_flow import Call, Entry
from .capture.frames import Line, Passed
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
    """Edits of a kind (by `.data`, a detached alias, in place) that make the gradients other than those of the loss.

    An edit does so in two ways: what comes after it uses the new numbers and autograd knows the old ones only, or a
    backward pass that comes after it reads them, since an operation had saved them for it. An edit of numbers
    that nothing reads any more changes no gradient.
    """
    if analysis.raised is not None:
        return
    seen: set[Line | None] = set()
    for call in analysis.unseen_edits:
        if call.line is None or call.operation in _NO_EDIT:
            continue
        loss, late = _used_by_the_loss(call, analysis), _read_on_the_way_back(call, analysis)
        if not loss | late:
            continue
        by, line = _alias_of(call)
        if by != kind or line in seen:
            continue
        seen.add(line)
        names = analysis.trainable_among(analysis.named(loss or late))
        where = f" (edited on line {call.line.line})" if line != call.line else ""
        text = (
            f"This shares its memory with a tensor that the loss is computed from, and is edited{where}: "
            + (
                f"the loss changes without autograd noticing, so {gradients_of(names)} are wrong."
                if loss
                else f"a backward pass reads the new values instead of the old ones, so {gradients_of(names)} can't be trusted."
            )
        )
        yield Fault(line, tuple(names), text, severity=Severity.WRONG)


def gradients_of(names: Sequence[str]) -> str:
    """Whose gradients are meant, also where they have no name that a reader knows."""
    return f"the gradients of {listed(names)}" if names else "the gradients that pass through it"


def _used_by_the_loss(call: Call, analysis: Analysis) -> int:
    """The leaves behind what an edit changed, as bits, where the loss is computed from the new numbers."""
    bits = 0
    known = analysis.tracked_in(call.storage)
    if known and _numbers_go_on(known, call.number, analysis):
        for entry in known:
            if entry.born <= call.number:
                bits |= entry.tracked
    return bits


def _read_on_the_way_back(call: Call, analysis: Analysis) -> int:
    """The leaves, as bits, behind operations that kept the edited numbers for a backward pass that comes later."""
    bits = 0
    reach = analysis.flow.graph.reach
    for run in (*analysis.passes, *analysis.derivatives):
        for node in run.reads.get(call.storage, ()) if run.number > call.number else ():
            if node >= call.next_node or _is_a_packages_own(node, call, analysis):
                continue
            bits |= reach.get(node, 0) & run.asked
    return bits


def _is_a_packages_own(node: int, call: Call, analysis: Analysis) -> bool:
    """Whether one call into an installed package both kept the numbers and edited them: that is its authors' design."""
    return bool(call.passed & Passed.INSTALLED) and analysis.made_by(node).line == call.line


def goes_on(entry: Entry, after: int, analysis: Analysis) -> bool:
    """Whether the loss is computed from a tensor's numbers as they are after the call of that number."""
    if entry.storage:
        return _numbers_go_on(analysis.tracked_in(entry.storage), after, analysis)
    return entry.leaf is None and bool(entry.tracked) and _numbers_go_on([entry], after, analysis)


def _numbers_go_on(known: Sequence[Entry], after: int, analysis: Analysis) -> bool:
    """The same for all that is known of the tensors of one memory."""
    if any(e is root for run in analysis.passes if run.number > after for root in run.roots for e in known):
        return True
    return any(
        user.number > after and any(o.tracked and id(o) in analysis.into_loss for o in user.outputs)
        for e in known
        for user in analysis.users.get(id(e), ())
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
