"""Where a gradient first stopped being finite: at the first node that got finite ones and sent on one that is not.

The nodes are asked in the order in which they ran. Of a node that was not watched, since it lies inside of a call, is
known what lies above and below it. Where a gradient was too large to be kept nothing is said that is not known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..capture.backward import BackwardPass, Target
from ..capture.data_flow import Call, Entry
from ..capture.frames import Line
from ..capture.tensors import is_plain
from ..record import Array
from .facts import Facts
from .zeros import Incoming, incoming

_MASKS = frozenset(["masked_fill", "masked_fill_", "where", "fill_", "full_like", "__setitem__"])
"""Calls that put an infinity where one is wanted."""


@dataclass(frozen=True, slots=True)
class FirstBad:
    """The operation that made the first gradient which is not finite."""

    operation: str
    line: Line | None
    by_a_hook: bool = False
    makes_value: bool = False
    """Whether its result is the first that is not finite, before any gradient."""
    masked: bool = False
    """Whether what came to it was zeros in places: its result was masked."""


def finite(tensor: Tensor) -> bool:
    """Whether all numbers are. A sum settles nearly all: where it is finite, so are its terms.

    It is the fastest reduction by far, and one that overflows only costs a closer look.
    """
    if not is_plain(tensor) or not (tensor.is_floating_point() or tensor.is_complex()):
        return True
    numbers = tensor.detach()
    if tensor.is_complex():
        numbers = torch.view_as_real(numbers.resolve_conj())
    return math.isfinite(numbers.sum()) or bool(torch.isfinite(numbers).all())


def first_bad(facts: Facts) -> FirstBad | None:
    """What made the first gradient that is not finite, None where that is not known."""
    for run in facts.passes:
        for node in run.sent:
            if node not in run.held:
                continue
            sent, came = run.held[node]
            if not _all(came):
                above = _above(run, node, facts)
                return _named(above, run, facts) if above is not None else None
            if not _all(sent):
                return _named(node, run, facts)
    return None


def _all(gradients: Iterable[Tensor | None]) -> bool:
    return all(gradient is None or finite(gradient) for gradient in gradients)


def _above(run: BackwardPass, node: int, facts: Facts) -> int | None:
    """The node that sent what is not finite to a watched one: one between it and those that are known to be innocent."""
    if node in facts.hooked_nodes:
        return node
    above = incoming(run)
    todo, seen = _sources(above, (node, False)), set[int]()
    while todo:
        source = todo.pop(0)
        if source in seen:
            continue
        seen.add(source)
        if source not in run.sent:
            return source
        if source not in run.held:
            return None
    return node if seen else None


def _sources(above: Incoming, target: Target) -> list[int]:
    return [node for output in above.outputs.get(target, ()) for node, _ in above.edges[target, output]]


def _named(node: int, run: BackwardPass, facts: Facts) -> FirstBad:
    """The node's call, or the one that gave it a value which was not finite already."""
    came = run.held[node][1] if node in run.held else ()
    if node in facts.hooked_nodes and not _all(came):
        return FirstBad("", facts.hooked_nodes[node], by_a_hook=True)
    made, call = facts.made_by(node), facts.call_at(node)
    guilty = _value_maker(call, facts) if call is not None else None
    if guilty is not None:
        return FirstBad(guilty.operation, guilty.line, makes_value=True)
    masked = any(gradient is not None and bool((gradient == 0).any()) for gradient in came)
    return FirstBad(made.operation, made.line, masked=masked)


def _value_maker(call: Call, facts: Facts) -> Call | None:
    """The call that made a value that is not finite and on which the derivative of this one depends."""
    for test in (has_nan, has_infinity):
        for entry in call.inputs:
            maker = origin(entry, test, facts).call if test(entry) else None
            if maker is not None and maker.operation not in _MASKS and any(e.tracked for e in maker.outputs):
                return maker
    return None


def origin(entry: Entry, test: Callable[[Entry], bool], facts: Facts) -> Entry:
    """The first entry on the way to this one of which the same is true."""
    seen: set[int] = set()
    while True:
        seen.add(id(entry))
        back = next((e for e in facts.before_entry(entry) if id(e) not in seen and test(e)), None)
        if back is None:
            return entry
        entry = back


def has_nan(entry: Entry) -> bool:
    """Whether a nan is known among its values."""
    return _known(entry, np.isnan, math.isnan)


def has_infinity(entry: Entry) -> bool:
    """Whether an infinity is known among its values."""
    return _known(entry, np.isinf, math.isinf)


def _known(entry: Entry, of_array: Callable[[Array], Array], of_number: Callable[[float], bool]) -> bool:
    if entry.content is None:
        return False
    record = entry.record()
    if record.values is None:
        return record.measured is not None and any(of_number(number) for number in record.measured)
    return record.values.dtype.kind in "fc" and bool(of_array(record.values).any())
