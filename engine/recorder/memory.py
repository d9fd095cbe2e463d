"""Faults of shared memory: an edit through `.data`, a detached alias or an array, and a snapshot that is no copy."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor, nn
from torch.optim import Optimizer

from .analysis.facts import Scene
from .capture.data_flow import Call, Entry
from .capture.frames import Line
from .capture.reading import elements
from .suggestions import listed
from .warned import Warned, warned

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

_MOST = 20_000
"""Items of one container that are looked at."""


def warn_of_memory(scene: Scene) -> Iterator[Warned]:
    """All findings of this kind."""
    if scene.raised is None:
        yield from _edits(scene)
        yield from _array_edits(scene)
    yield from _snapshots(scene)


def _edits(scene: Scene) -> Iterator[Warned]:
    seen: set[tuple[str, Line | None]] = set()
    for call in scene.tape.calls:
        if (
            not call.in_place
            or not call.in_step
            or call.line is None
            or call.function is not None
            or not call.outputs
            or call.operation in _NO_EDIT
        ):
            continue
        touched = _tracked_victims(call, scene)
        if not touched:
            continue
        kind, line = _alias_of(call)
        if (kind, line) in seen:
            continue
        seen.add((kind, line))
        bits = 0
        for entry in touched:
            bits |= entry.tracked
        names = [n for n in scene.named(bits) if scene.trainable(n)]
        where = f" (edited on line {call.line.line})" if line != call.line else ""
        text = (
            f"This shares its memory with a tensor that the loss is computed from, and is edited{where}: "
            f"the loss changes and autograd does not know, so the gradients of {listed(names)} are wrong."
        )
        yield warned(75, kind, line, names, text)


def _tracked_victims(call: Call, scene: Scene) -> list[Entry]:
    """Tensors of the graph whose numbers an in-place call changes without autograd's notice."""
    written = call.outputs[0]
    before = call.inputs[0] if call.inputs else written
    if written.tracked and written.sequence != before.sequence:
        return []  # autograd saw it
    victims = []
    for entry in scene.tape.flow.sharing(call.storage):
        if not entry.tracked or entry.born > call.number or id(entry) not in scene.into_loss:
            continue
        if entry.leaf is None or _used_before(entry, call, scene):
            victims.append(entry)
    return victims


def _used_before(leaf: Entry, call: Call, scene: Scene) -> bool:
    """Whether the loss used a leaf before the edit and is sent back after it."""
    later = [run for run in scene.tape.backwards if run.number > call.number]
    return any(
        user.number < call.number
        and any(id(o) in scene.into_loss for o in user.outputs)
        and any(user.outputs[0].sequence in run.next for run in later)
        for user in scene.users.get(id(leaf), ())
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


def _array_edits(scene: Scene) -> Iterator[Warned]:
    for event in scene.tape.events:
        if event.kind == "array_edit" and event.entry is not None and id(event.entry) in scene.into_loss:
            names = [n for n in scene.named(event.entry.tracked) if scene.trainable(n)]
            text = (
                "The array shares its memory with a tensor that the loss is computed from, and was edited: "
                f"the gradients of {listed(names)} do not fit the loss."
            )
            yield warned(75, "alias", event.line, names, text)


def _snapshots(scene: Scene) -> Iterator[Warned]:
    storages: dict[int, str] = {}
    own = scene.names.parameters.values()
    for name, value in scene.names.variables.items():
        if isinstance(value, nn.Module | Optimizer) or not isinstance(value, Tensor | dict | list | tuple):
            continue
        shared, line = [], None
        for tensor in _tensors_in(value):
            entry = scene.tape.flow.look_up(tensor)
            if entry is None or tensor.requires_grad or entry.call is None or not entry.call.in_step:
                continue
            if id(tensor) in scene.held or any(tensor is p for p in own):
                continue
            storages = storages or {
                scene.tape.flow.storage_of(p): n
                for n, p in scene.names.parameters.items()
                if scene.trainable(n)
            }
            if entry.storage in storages:
                shared.append(storages[entry.storage])
                line = entry.call.line
        if shared:
            text = f"`{name}` is no copy: it shares its memory with {listed(shared)}, so the next `optimizer.step()` changes it too."
            yield warned(50, "alias", line, shared, text)


def _tensors_in(value: object, depth: int = 3) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif depth and isinstance(value, dict | list | tuple):
        for item in elements(value, _MOST):
            yield from _tensors_in(item, depth - 1)
