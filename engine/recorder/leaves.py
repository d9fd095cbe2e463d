"""Faults of leaves: frozen at the wrong time, frozen while their statistics move, or no leaves at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor, nn

from .analysis.facts import Scene
from .capture.data_flow import Entry
from .capture.frames import Line
from .capture.tensors import grad_fn_of
from .faults import freeze_line
from .record import Buffer, ParameterState
from .suggestions import listed, verb
from .warned import Warned, warned


@dataclass(frozen=True, slots=True)
class Computed:
    """A named tensor that requires grad and is no leaf."""

    name: str
    tensor: Tensor
    line: Line | None
    state: ParameterState
    reason: str


def warn_of_leaves(scene: Scene, computed: list[Computed], buffers: tuple[Buffer, ...]) -> Iterator[Warned]:
    """All findings of this kind."""
    for one in computed:
        if one.state == "none":
            yield warned(65, "non_leaf", one.line, (one.name,), f"`{one.name}` has no `.grad`: {one.reason}")
    told = [one.tensor for one in computed if one.state == "none"]
    reads = [e for e in scene.tape.events if e.kind == "grad_of_non_leaf"]
    event = next((e for e in reversed(reads) if not any(e.tensor is tensor for tensor in told)), None)
    if event is not None and scene.raised is None and event.entry is not None:
        call = event.entry.call
        yield warned(
            65, "non_leaf", call.line if call is not None and call.line is not None else event.line, (),
            "The `.grad` of a tensor made here is read and is None: the tensor is computed, so it is not kept.",
        )  # fmt: skip
    yield from _moving_statistics(scene, buffers)
    yield from _frozen_late(scene)
    yield from _not_constant(scene)


def _moving_statistics(scene: Scene, buffers: tuple[Buffer, ...]) -> Iterator[Warned]:
    moved, owners = [], []
    for buffer in buffers:
        below = [p for n, p in scene.names.parameters.items() if n.startswith(f"{buffer.module}.")]
        parent = buffer.module.rpartition(".")[0]
        around = below or [
            p for n, p in scene.names.parameters.items() if parent and n.startswith(f"{parent}.")
        ]
        if around and not any(p.requires_grad for p in around):
            moved.append(buffer.name)
            owners += [n for n, p in scene.names.parameters.items() if n.startswith(f"{buffer.module}.")]
    if moved:
        text = f"The layer is frozen and {listed(moved)} still {verb(moved, 'moves', 'move')}: it is in train mode."
        yield warned(
            45,
            "frozen",
            freeze_line(scene, owners),
            moved,
            text,
            "Put the frozen layers in `.eval()` as well.",
        )


def _frozen_late(scene: Scene) -> Iterator[Warned]:
    """A parameter that was frozen after the forward used it, or unfrozen too late for it."""
    for event in scene.tape.events:
        if not event.in_step or event.kind not in ("freeze", "unfreeze"):
            continue
        names = [
            n for n, p in scene.names.parameters.items() if p is event.tensor and scene.states[n] == "none"
        ]
        if not names or names[0] in scene.constant:
            continue
        bit = scene.bit(event.tensor)
        uses = [
            (call.number, entry.tracked)
            for call in scene.tape.calls
            if call.in_step
            for entry in call.inputs
            if entry.leaf == bit and any(id(o) in scene.into_loss for o in call.outputs)
        ]
        late = [tracked for number, tracked in uses if number < event.number]
        toggled = any(
            e.kind == "freeze" and e.in_step and e.tensor is event.tensor and e.number < event.number
            for e in scene.tape.events
        )
        if event.kind == "freeze" and any(late):
            text = f"{listed(names)} {verb(names, 'is', 'are')} frozen here, after the forward has used it and before `backward()`."
            yield warned(100 + len(names), "frozen", event.line, names, text)
        elif event.kind == "unfreeze" and late and not any(late) and not toggled:
            text = f"{listed(names)} requires a gradient from here on, but the forward has used it before."
            yield warned(100 + len(names), "frozen", event.line, names, text)


def _not_constant(scene: Scene) -> Iterator[Warned]:
    for name in sorted(scene.constant):
        if scene.states.get(name) in ("gradient", "zero"):
            uses = [r for r in scene.tape.backwards if r.to_leaves]
            bit = scene.bit(scene.tensor(name))
            node = next((n for r in uses for n, targets in r.next.items() if ~bit in targets), None)
            line = scene.made_at(node)[0] if node is not None else None
            yield warned(
                120,
                "expect_constant",
                line,
                (name,),
                f"`{name}` is meant to stay constant and gets a gradient from this line.",
            )


def computed_tensors(scene: Scene) -> list[Computed]:
    """The named tensors that are no leaves, and whether a gradient is missed there."""
    found = []
    for name, value in scene.names.variables.items():
        if not isinstance(value, Tensor) or grad_fn_of(value) is None:
            continue
        if value.retains_grad:
            continue
        entry = scene.tape.flow.look_up(value)
        line = entry.call.line if entry is not None and entry.call is not None else None
        state: ParameterState = "not_retained"
        reason = "It is computed, no leaf: its gradient is used on the way back and not kept."
        if (
            scene.raised is None
            and entry is not None
            and id(entry) in scene.into_loss
            and entry not in scene.roots
        ):
            missed = _missed(name, value, entry, scene)
            state, reason = ("none", missed) if missed else (state, reason)
        found.append(Computed(name, value, line, state, reason))
    return found


def _missed(name: str, tensor: Tensor, entry: Entry, scene: Scene) -> str:
    """Why a computed tensor has no `.grad`, where somebody counts on one; "" where nobody does.

    A step is told by what it leaves behind: a variable of the module that was none before is there to be looked at.
    A block is a part of somebody's code, and its intermediates are no more than that, unless their `.grad` is read.
    """
    recorder = scene.recorder
    line, before = recorder.read_later.get(name), recorder.before.variables.get(name)
    if line is not None:
        return f"it is computed, no leaf, so its gradient is not kept, and line {line} reads it."
    if entry.scalar:
        return ""
    if before is not tensor:
        asked = recorder.whole_step and "." not in name and not isinstance(before, Tensor)
        return (
            "it is computed, no leaf, so its gradient is used on the way back and not kept." if asked else ""
        )
    behind = scene.named(entry.tracked)
    if any(n not in scene.names.held_only for n in behind):
        return ""
    if not recorder.whole_step and not _of_plain_leaves(entry, scene):
        return ""
    if behind:
        held = behind[0].partition(".")[0]
        return f"it was computed from the tensor that `{held}` holds, and stays as it is when that one moves."
    return "it is computed from a leaf that no variable holds, so the gradient is kept nowhere."


def _of_plain_leaves(entry: Entry, scene: Scene) -> bool:
    """Whether no layer's parameter stands behind a tensor: then it was to be trained itself."""
    leaves = scene.tape.flow.graph.leaves
    return not any(
        isinstance(leaf, nn.Parameter) for bit, leaf in enumerate(leaves) if entry.tracked >> bit & 1
    )


def moved_buffers(scene: Scene) -> tuple[Buffer, ...]:
    """The buffers that the step changed."""
    moved = []
    for name, (buffer, owner) in scene.names.buffers.items():
        before = scene.recorder.buffers.get(name)
        if before is not None and before.moved(buffer):
            moved.append(Buffer(name, owner))
    return tuple(moved)
