"""Named tensors that are no leaves, buffers that the step changed, and parameters of layers registered nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from torch import Tensor, nn

from ..capture.frames import Line
from ..capture.tensors import grad_fn_of
from ..record import Buffer, ParameterState
from .facts import Facts


@dataclass(frozen=True, slots=True)
class Computed:
    """A named tensor that requires grad and is no leaf."""

    name: str
    tensor: Tensor
    line: Line | None
    state: ParameterState
    reason: str


def computed_tensors(facts: Facts) -> tuple[Computed, ...]:
    """The named tensors that are no leaves, and whether a gradient is missed there."""
    found: list[Computed] = []
    for name, value in facts.names.variables.items():
        if not isinstance(value, Tensor) or grad_fn_of(value) is None:
            continue
        if value.retains_grad:
            continue
        entry = facts.flow.look_up(value)
        line = entry.call.line if entry is not None and entry.call is not None else None
        before = facts.before.variables.get(name)
        on_the_way = entry is not None and id(entry) in facts.into_loss and entry not in facts.roots
        state: ParameterState = "not_retained"
        reason = "It is computed, no leaf: its gradient is used on the way back and not kept."
        if facts.raised is None and on_the_way and entry is not None and not entry.scalar:
            if before is value:
                behind = facts.named(entry.tracked)
                unnamed = not [n for n in behind if n not in facts.names.held_only]
                held = [n.partition(".")[0] for n in behind]
                reason = "it is computed from a leaf that no variable holds, so the gradient is kept nowhere."
                if unnamed and held:
                    reason = f"it was computed from the tensor that `{held[0]}` holds, and stays as it is when that one moves."
            else:
                unnamed = not isinstance(before, Tensor)
                reason = "it is computed, no leaf, so its gradient is used on the way back and not kept."
            state = "none" if unnamed else "not_retained"
        found.append(Computed(name, value, line, state, reason))
    return tuple(found)


def moved_buffers(facts: Facts) -> tuple[Buffer, ...]:
    """The buffers that the step changed."""
    moved = []
    for name, (buffer, owner) in facts.names.buffers.items():
        before = facts.buffers_before.get(name)
        if before is not None and before.moved(buffer):
            moved.append(Buffer(name, owner))
    return tuple(moved)


_CONTAINERS = (list, tuple, dict, set, Tensor)
_OF_EVERY_MODULE = frozenset(vars(nn.Module()))
"""The attributes that torch itself gives to a module: most of those that there are."""


def hidden_parameters(facts: Facts) -> dict[str, Tensor]:
    """Parameters of layers that sit in a plain container of a module and are not registered there, by their path."""
    found: dict[str, Tensor] = {}
    for layers in facts.names.layers.values():
        own: set[int] | None = None
        for path, module in layers:
            inside = vars(module)
            own_names = inside.keys() - _OF_EVERY_MODULE
            holders = {n for n in own_names if isinstance(inside[n], _CONTAINERS) and n[0] != "_"}
            for name in [n for n in inside if n in holders] if holders else ():
                base = f"{path}.{name}" if path else name
                for full, parameter in _contained(base, inside[name], 3):
                    own = {id(p) for p in layers[0][1].parameters()} if own is None else own
                    if id(parameter) not in own:
                        found.setdefault(full, parameter)
    return found


def _contained(base: str, held: object, depth: int) -> Iterator[tuple[str, Tensor]]:
    if isinstance(held, nn.Module):
        for path, parameter in held.named_parameters():
            yield f"{base}.{path}", parameter
    elif isinstance(held, Tensor):
        if held.requires_grad and grad_fn_of(held) is None:
            yield base, held
    elif depth and isinstance(held, Mapping):
        for key, item in held.items():
            yield from _contained(f"{base}[{key!r}]", item, depth - 1)
    elif depth and isinstance(held, list | tuple | set):
        for number, item in enumerate(held):
            yield from _contained(f"{base}[{number}]", item, depth - 1)
