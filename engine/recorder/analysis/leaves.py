"""Named tensors that are no leaves, buffers that the step changed, and parameters of layers registered nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor, nn

from ..capture.data_flow import Entry
from ..capture.frames import Line
from ..capture.names import held_in, modules_of
from ..capture.reading import behind, keyed
from ..capture.source_text import assigned_name, grads_read_on
from ..capture.tensors import grad_fn_of
from ..record import Buffer, ParameterState
from .facts import Facts, bits_in, closure
from .lost import held_by_nobody, made_before, origin


@dataclass(frozen=True, slots=True)
class Computed:
    """A named tensor that requires grad and is no leaf."""

    name: str
    tensor: Tensor
    line: Line | None
    state: ParameterState
    reason: str
    lost: bool = False
    """Whether it is kept in the place of a leaf that nothing holds, or that only an optimizer does."""
    update: bool = False
    """Whether a leaf and its own gradient went into it: a step of descent that bound the name anew."""


def computed_tensors(facts: Facts) -> tuple[Computed, ...]:
    """The named tensors that are no leaves, and whether a gradient is missed there."""
    found: list[Computed] = []
    for name, value in facts.names.variables.items():
        if not isinstance(value, Tensor) or grad_fn_of(value) is None:
            continue
        if value.retains_grad:
            continue
        entry = facts.flow.look_up(value)
        made = origin(entry) if entry is not None else None
        line = made.call.line if made is not None and made.call is not None else None
        state: ParameterState = "not_retained"
        reason = "It is computed, not a leaf: its gradient is used in the backward pass but not kept."
        missed = ""
        if (
            facts.raised is None
            and entry is not None
            and id(entry) in facts.into_loss
            and entry not in facts.roots
        ):
            missed = _missed(name, value, entry, facts)
            state, reason = ("none", missed) if missed else (state, reason)
        if not (missed or facts.lists_intermediates):
            continue
        lost = bool(missed) and facts.before.variables.get(name) is value
        if lost and line is None:
            line = facts.line_that_binds(name)
        update = bool(missed) and entry is not None and updated_by_its_gradient(entry, facts)
        found.append(Computed(name, value, line, state, reason, lost, update))
    return tuple(found)


def _missed(name: str, tensor: Tensor, entry: Entry, facts: Facts) -> str:
    """Why a computed tensor has no `.grad`, where the code counts on one; "" where it does not.

    A step is told by what it leaves behind: a variable of the module that was none before is there to be looked at.
    A block is a part of somebody's code, and its intermediates are no more than that, unless their `.grad` is read.
    """
    line, before = facts.read_later.get(name), facts.before.variables.get(name)
    if line is not None:
        return f"it is computed, not a leaf, so its gradient is not kept, but line {line} reads it."
    if id(tensor) in facts.differentiated:  # then it is an input, and not to be trained
        return ""
    if entry.scalar and not (before is tensor and _of_lost_leaves(entry, facts)):
        return ""
    if before is not tensor:
        asked = facts.whole_step and "." not in name and not isinstance(before, Tensor)
        return (
            "it is computed, not a leaf, so its gradient is used in the backward pass but not kept."
            if asked
            else ""
        )
    behind = facts.named(entry.tracked)
    if any(n not in facts.names.held_only for n in behind):
        return ""
    if not facts.whole_step and not (_of_plain_leaves(entry, facts) or _of_lost_leaves(entry, facts)):
        return ""
    if behind:
        held = behind[0].partition(".")[0]
        return f"it was computed from the tensor that `{held}` holds, and does not change when that tensor is updated."
    return "it is computed from a leaf that no variable holds, so its gradient is not kept anywhere."


def _of_plain_leaves(entry: Entry, facts: Facts) -> bool:
    """Whether no layer's parameter stands behind a tensor: then it was to be trained itself."""
    return not any(isinstance(facts.leaf(bit), nn.Parameter) for bit in bits_in(entry.tracked))


def _of_lost_leaves(entry: Entry, facts: Facts) -> bool:
    """Whether a tensor was made, before the step, of leaves that nothing holds."""
    bits = set(bits_in(entry.tracked))
    return made_before(origin(entry)) and held_by_nobody(bits, facts) == bits


def updated_by_its_gradient(entry: Entry, facts: Facts) -> bool:
    """Whether a leaf and the `.grad` of that leaf went into a tensor, as in `w = w - lr * w.grad`."""
    made = closure([entry])
    if any(
        about.leaf is not None and entry.tracked >> about.leaf & 1
        for call in facts.calls if call.operation == "grad" and any(id(o) in made for o in call.outputs)
        for about in call.about
    ):  # fmt: skip
        return True
    line = (
        entry.call.line if entry.call is not None else None
    )  # of an earlier call of the step only the line is known
    return line is not None and assigned_name(line) in grads_read_on(line)


def moved_buffers(facts: Facts) -> tuple[Buffer, ...]:
    """The buffers that the step changed."""
    moved = []
    for name, (buffer, owner) in facts.names.buffers.items():
        before = facts.buffers_before.get(name)
        if before is not None and before.moved(buffer):
            moved.append(Buffer(name, owner))
    return tuple(moved)


_MOST = 20_000
"""Items of one container that are looked at."""
_CONTAINERS = (list, tuple, dict, set, Tensor)
_PLAIN = frozenset([int, float, bool, str, type(None), type(nn.functional.relu)])
"""Types of attributes that hold nothing, as most do."""
_OF_EVERY_MODULE = frozenset(vars(nn.Module()))
"""The attributes that torch itself gives to a module: most of those that there are."""


def hidden_parameters(facts: Facts) -> dict[str, Tensor]:
    """Parameters of layers that sit in a plain container of a module and are not registered there, by their path."""
    found: dict[int, tuple[str, Tensor]] = {}
    for layers in facts.names.layers.values():
        own: set[int] | None = None
        for path, module in layers:
            inside = vars(module)
            own_names = inside.keys() - _OF_EVERY_MODULE
            holders = {
                n for n in own_names
                if n[:1] != "_" and type(inside[n]) not in _PLAIN and isinstance(behind(inside[n]), _CONTAINERS)
            }  # fmt: skip
            for name in [n for n in inside if n in holders] if holders else ():
                base = f"{path}.{name}" if path else name
                for full, parameter in _contained(base, behind(inside[name]), 3):
                    own = _registered(layers) if own is None else own
                    if id(parameter) not in own:
                        found.setdefault(id(parameter), (full, parameter))
    return dict(found.values())


def _registered(layers: list[tuple[str, nn.Module]]) -> set[int]:
    return {id(parameter) for _, module in layers for _, parameter in held_in(module, "_parameters")}


def _contained(base: str, held: object, depth: int) -> Iterator[tuple[str, Tensor]]:
    if isinstance(held, nn.Module):
        for path, module in modules_of(base, held):
            yield from ((f"{path}.{name}", parameter) for name, parameter in held_in(module, "_parameters"))
    elif isinstance(held, Tensor):
        if held.requires_grad and grad_fn_of(held) is None:
            yield base, held
    elif depth:
        for key, item in keyed(held, _MOST):
            yield from _contained(f"{base}[{key}]", item, depth - 1)
