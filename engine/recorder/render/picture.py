"""The step as a row of boxes, one a module, in the order of its calls: for a notebook and for the page."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from ...text import counted
from ..record import Cut, Stage, StepData
from .groups import by_module
from .words import BACK, Word, cut_title, place, standing

_BOXES = 40
"""Boxes of a picture that can still be taken in; a longer step is drawn in coarser ones."""
_CALLS = 300
"""Calls of one box that are listed; the table has the others."""
_NAMES = 4


@dataclass(frozen=True)
class Box:
    """One box, and what came back to the one before it."""

    title: str
    style: str
    """The classes of its element: "box", "box cut" or "box starved"."""
    notes: tuple[str, ...]
    arrow: Word | None
    """What came back by the arrow before it; None before the first."""
    count: str
    calls: tuple[str, ...]


def boxes_of(step: StepData) -> tuple[Box, ...]:
    """The boxes in order, and after them the cuts that are no call on tensors, such as a Python number."""
    starving = {p.name for p in step.parameters if standing(p) in ("none", "zero")}
    cuts: dict[int | None, list[Cut]] = {}
    for cut in step.cuts:
        cuts.setdefault(cut.stage, []).append(cut)
    boxes: list[Box] = []
    before: Stage | None = None
    for calls in _split(step):
        arrow = BACK[before.gradient_state] if before is not None else None
        boxes.append(_box(calls, arrow, starving, cuts, step))
        before = calls[-1]
    return (*boxes, *(_lost(cut, step.file) for cut in cuts.get(None, ())))


def _split(step: StepData) -> list[list[Stage]]:
    """The calls in boxes of one module each; where that makes too many, in boxes of one variable each.

    In a step too long even for that, calls outside of all modules join the box before them, and a box ends at a cut.
    """
    calls = [stage for stage in step.stages if stage.operation != "input"]
    for depth in (2, 1):
        boxes = [list(group) for _, group in groupby(calls, key=lambda call: _owner(call, depth))]
        if len(boxes) <= _BOXES:
            return boxes
    cuts = {cut.stage for cut in step.cuts}
    boxes = []
    for call in calls:
        if boxes and _joins(call, boxes[-1][0], cuts):
            boxes[-1].append(call)
        else:
            boxes.append([call])
    return boxes


def _joins(call: Stage, first: Stage, cuts: set[int | None]) -> bool:
    same = not call.module or _owner(call, 1) == _owner(first, 1)
    return same and call.index not in cuts and first.index not in cuts


def _owner(call: Stage, depth: int) -> str:
    """The module of a call: its variable, and with a depth of 2 the first part below it."""
    return ".".join(call.module.split(".")[:depth])


def _box(
    calls: list[Stage],
    arrow: Word | None,
    starving: set[str],
    cuts: dict[int | None, list[Cut]],
    step: StepData,
) -> Box:
    owners = list(dict.fromkeys(_owner(call, 2) for call in calls if call.module))
    if not owners:
        title = ", ".join(dict.fromkeys(call.operation for call in calls[:_NAMES]))
    else:
        title = owners[0] if len(owners) == 1 else f"{owners[0]} to {owners[-1]}"
    here = [cut for call in calls for cut in cuts.get(call.index, ())]
    notes = [_note(cut, step.file) for cut in here[:3]]
    hungry = sorted({name for call in calls for name in call.parameters if name in starving})
    if hungry:
        whom = by_module(hungry, step)
        more = " ..." if len(whom) > _NAMES else ""
        notes.append(f"✕ starved: {', '.join(whom[:_NAMES])}{more}")
    cut_off = any(not cut.intended for cut in here)
    style = "box cut" if cut_off else "box starved" if hungry else "box"
    inside = [_call(call, step.file) for call in calls[:_CALLS]]
    if len(calls) > _CALLS:
        inside.append(f"and {len(calls) - _CALLS} more: see the table")
    return Box(title, style, tuple(notes), arrow, counted(len(calls), "call"), tuple(inside))


def _note(cut: Cut, file: str) -> str:
    at = place(cut.location, file)
    meant = ", intended" if cut.intended else ": the gradient stops here"
    return f"✂ {cut_title(cut)}{meant}{f', {at}' if at else ''}"


def _lost(cut: Cut, file: str) -> Box:
    """A cut that is no call on tensors."""
    at = f"{place(cut.location, file)}: {cut.location.text.strip()}" if cut.location else ""
    style = "box" if cut.intended else "box cut"
    return Box(f"✂ {cut_title(cut)}", style, (at,) if at else (), BACK["none"], "", ())


def _call(call: Stage, file: str) -> str:
    at = place(call.location, file)
    back = BACK[call.gradient_state].text if call.output.requires_grad else "not tracked"
    name = f"{call.output.name} = " if call.output.name else ""
    return f"{name}{call.operation} {list(call.output.shape)}{f', {at}' if at else ''}: {back}"
