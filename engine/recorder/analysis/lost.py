"""Leaves that nothing holds any more: a parameter that was cast, scaled or moved before it was kept.

`self.gate = nn.Parameter(values).to(dtype)` keeps the result of the cast. The gradient goes on to the parameter that it
was made of, which no module lists, no optimizer holds and no variable leads to.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from ..capture.data_flow import Entry
from ..capture.frames import Line
from ..capture.names import held_in, items_of
from ..capture.reading import behind
from ..capture.source_text import line_that_assigns_to_self
from ..capture.tensors import grad_fn_of
from .facts import Facts, bits_in


@dataclass(frozen=True, slots=True)
class Lost:
    """A computed tensor that is kept in the place of the leaf it was made of."""

    name: str
    tensor: Tensor
    line: Line | None
    parameter: bool
    """Whether an `nn.Parameter` is among what was lost."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A tensor with a history that a module or an object keeps."""

    name: str
    tensor: Tensor
    owner: object
    attribute: str


def find_lost(facts: Facts, hidden: Iterable[Tensor]) -> tuple[Lost, ...]:
    """The computed tensors in modules and objects through which a gradient went to a leaf that nothing holds."""
    known = facts.held | {id(p) for p in hidden}
    reached = {bit for run in facts.passes for bit, state in run.arrived.items() if state != "none"}
    lost = {bit for bit in reached - facts.bits.keys() if id(facts.leaf(bit)) not in known}
    lost = held_by_nobody(lost, facts)
    found: dict[int, Lost] = {}
    for kept in _kept_tensors(facts) if lost else ():
        entry = facts.flow.look_up(kept.tensor)
        if entry is None or id(kept.tensor) in found or id(entry) not in facts.into_loss:
            continue
        behind_it = [bit for bit in bits_in(entry.tracked) if bit in reached]
        parameter = any(bit in lost and isinstance(facts.leaf(bit), nn.Parameter) for bit in behind_it)
        if not (parameter or (behind_it and lost.issuperset(behind_it))):
            continue
        made = origin(entry)
        if not made_before(made) or kept.tensor.retains_grad or id(kept.tensor) in facts.differentiated:
            continue
        line = made.call.line if made.call is not None else _line_of(kept, facts)
        found[id(kept.tensor)] = Lost(kept.name, kept.tensor, line, parameter)
    return tuple(found.values())


def held_by_nobody(bits: Iterable[int], facts: Facts) -> set[int]:
    """Those of the leaves to which nothing but the graph and this recording has a reference."""
    wanted, leaves = list(bits), facts.flow.graph.leaves
    allowed = _references_to_a_lost_leaf() if wanted else 0
    return {
        bit for bit in wanted if sys.getrefcount(leaves[bit]) - len(facts.events_of(leaves[bit])) <= allowed
    }


def _references_to_a_lost_leaf() -> int:
    """How many references there are to a leaf that only a list and a graph hold: it depends on Python and on torch."""
    with torch.enable_grad():
        leaves: list[Tensor] = [nn.Parameter(torch.zeros(1))]
        graph = leaves[0] * 1
    count = sys.getrefcount(leaves[0])
    del graph
    return count


def origin(entry: Entry) -> Entry:
    """The entry of the call that made a tensor no leaf: before edits in place and changes out of sight."""
    while True:
        if entry.call is None and entry.previous:
            earlier = entry.previous[0]
        elif entry.call is not None and entry.call.in_place and entry.call.inputs:
            earlier = entry.call.inputs[0]
        else:
            return entry
        if earlier.leaf is not None or not earlier.tracked:
            return entry
        entry = earlier


def made_before(entry: Entry) -> bool:
    """Whether an entry was made before the recorded step, and not carried over from an earlier call of it."""
    return entry.call is None or not entry.call.in_step


def _kept_tensors(facts: Facts) -> Iterator[_Kept]:
    for name, value in facts.names.variables.items():
        if isinstance(value, nn.Module):
            for path, module in facts.names.layers.get(name, ()):
                dot = f"{path}." if path else ""
                for key, held in [*vars(module).items(), *held_in(module, "_buffers")]:
                    if key not in _OF_EVERY_MODULE:
                        yield from _tensors_in(dot + key, behind(held), module, key)
        elif not isinstance(value, Tensor):
            yield from _tensors_in(name, value, None, "")


_OF_EVERY_MODULE = frozenset(vars(nn.Module()))


def _tensors_in(name: str, value: object, owner: object, attribute: str, depth: int = 3) -> Iterator[_Kept]:
    if isinstance(value, Tensor):
        if grad_fn_of(value) is not None:
            yield _Kept(name, value, owner, attribute)
    elif depth and not isinstance(value, nn.Module | Optimizer):
        for path, item in items_of(name, value):
            plain = path.startswith(f"{name}.")
            inner = (value, path[len(name) + 1 :]) if plain else (owner, attribute)
            yield from _tensors_in(path, item, *inner, depth - 1)


def _line_of(kept: _Kept, facts: Facts) -> Line | None:
    """The line of the class, or of the file, that assigns what was made before the recording began."""
    line = line_that_assigns_to_self(kept.owner, kept.attribute) if kept.attribute else None
    return line or facts.line_that_binds(kept.name)
