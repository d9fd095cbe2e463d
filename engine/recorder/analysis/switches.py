"""Switches of `requires_grad` that come after the uses which they should have been for."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from ..capture.frames import Line
from ..capture.source_text import assigned_name
from ..capture.tape import Event
from .facts import Facts

_MISSED = r"does(n't| not) require grad|not have been used in the graph|NoneType"
"""What is raised where a gradient was counted on that never came."""


@dataclass(frozen=True, slots=True)
class LateSwitch:
    """A line that switched too late, with all that it came too late for."""

    line: Line | None
    kind: Literal["freeze", "unfreeze"]
    names: tuple[str, ...]
    """What the reader calls them; "" for a tensor without a name."""
    raised: bool
    """Whether what was raised can be its consequence."""


def find_late_switches(facts: Facts) -> tuple[LateSwitch, ...]:
    """The late switches of all that got no gradient and was to have one."""
    found: dict[tuple[Line | None, Literal["freeze", "unfreeze"]], dict[str, None]] = {}
    parameters = {id(p): n for n, p in facts.once.items()}
    for event in facts.events:
        tensor = event.tensor
        if tensor is None or not event.in_step or (event.kind != "freeze" and event.kind != "unfreeze"):
            continue
        name = parameters.get(id(tensor), "")
        if name:
            wanted = facts.states[name] == "none" and name not in facts.constant
        else:
            wanted = event.kind == "unfreeze" and tensor.grad is None
        if wanted and _too_late(event, tensor, facts):
            found.setdefault((event.line, event.kind), {})[name or _local_name(tensor, facts)] = None
    raised = facts.raised is not None and re.search(_MISSED, facts.raised.message) is not None
    return tuple(LateSwitch(line, kind, tuple(names), raised) for (line, kind), names in found.items())


def _too_late(event: Event, tensor: Tensor, facts: Facts) -> bool:
    """Whether a switch comes after the uses which it should have been for, and before their gradient."""
    if facts.raised is None and not any(run.number > event.number for run in facts.passes):
        return False
    before = list(_uses_before(event, tensor, facts))
    if event.kind == "freeze":
        return any(before)
    used_after = any(
        call.number > event.number and any(o.tracked for o in call.outputs)
        for call, _ in facts.uses_of.get(id(tensor), ())
    )
    frozen_in_step = any(
        e.kind == "freeze" and e.in_step and e.number < event.number for e in facts.events_of(tensor)
    )
    return bool(before) and not any(before) and not used_after and not frozen_in_step


def _uses_before(event: Event, tensor: Tensor, facts: Facts) -> Iterator[int]:
    """For each use of a tensor before an event that went into a later loss: the leaves that autograd knew.

    Where the step raised, nothing is known to have been the loss: there every use counts.
    """
    later = tuple(n for n, run in enumerate(facts.passes) if run.number > event.number)
    into_later = facts.into_loss if len(later) == len(facts.passes) else _behind(later, facts)
    for call, entry in facts.uses_of.get(id(tensor), ()):
        if not call.in_step or call.in_place or call.number >= event.number:
            continue
        if call.outputs and all(entry.tensor() is tensor for entry in call.outputs):
            continue  # what gives back the very tensor, as `contiguous()` may, is no use of it
        if facts.raised is not None or any(id(o) in into_later for o in call.outputs):
            yield entry.tracked


def _behind(passes: tuple[int, ...], facts: Facts) -> Container[int]:
    """The `id`s of what went into the roots of these backward passes."""
    known = facts.behind_passes
    if passes not in known:
        known[passes] = frozenset(facts.behind(root for n in passes for root in facts.passes[n].roots))
    return known[passes]


def _local_name(tensor: Tensor, facts: Facts) -> str:
    """What a tensor that no variable of the module leads to is called in the step."""
    entry = facts.flow.look_up(tensor)
    while entry is not None and entry.call is None and not entry.name and entry.previous:
        entry = entry.previous[0]
    if entry is None:
        return ""
    return entry.name or assigned_name(entry.call.line if entry.call is not None else None)
