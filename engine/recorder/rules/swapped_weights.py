"""A vector quantiser whose two losses have their weights the wrong way round: `(z.detach() - e)` weighted less than
`(z - e.detach())`, where `e` was looked up for `z`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...text import listed, number_text
from ..analysis.analysis import Analysis
from ..analysis.facts import closure
from ..capture.data_flow import Call, Entry
from ..capture.frames import Passed
from ..rule import Fault, Rule, Severity

WHAT = "the code is pulled towards the encoder more weakly than the encoder towards the code"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    detached = {
        id(call.outputs[0]): call
        for cut in analysis.cuts if cut.kind == "detach"
        for call in cut.calls if not call.passed & Passed.INSTALLED  # a package weighs as its authors mean to
    }  # fmt: skip
    pairs: dict[tuple[int, int], tuple[Call, Call]] = {}
    for call in analysis.calls if detached else ():
        if len(call.inputs) != 2 or not call.outputs or not call.outputs[0].tracked:
            continue
        for held, moved in (call.inputs, call.inputs[::-1]):
            stop = detached.get(id(held))
            if stop is not None and id(moved) not in detached:
                pairs[id(stop.inputs[0]), id(moved)] = (call, stop)
    for (held_id, moved_id), (call, stop) in pairs.items():
        other = pairs.get((moved_id, held_id))
        if other is None or call is other[0]:
            continue
        moved = next(e for e in call.inputs if id(e) == moved_id)
        light, heavy = _size(call), _size(other[0])
        if light is None or heavy is None or not light < heavy or not _looked_up(moved, held_id):
            continue
        names = analysis.trainable_among(analysis.named(moved.tracked))
        text = (
            f"This loss pulls the code {listed(names)} towards the encoder with {number_text(light / heavy, short=True)} of the weight "
            "that pulls the encoder towards it: the weights of codebook loss and commitment loss look swapped."
        )
        yield Fault(stop.line, tuple(names), text)


def _size(call: Call) -> float | None:
    gradient = call.outputs[0].gradient
    return None if gradient is None else float(np.abs(gradient).mean())


def _looked_up(entry: Entry, of: int) -> bool:
    """Whether `entry` was chosen by an index that was computed from the entry with that id."""
    calls = [e.call for e in _entries_behind(entry) if e.call is not None and e.call.kind == "integer"]
    return any(of in closure(call.inputs) for call in calls)


def _entries_behind(entry: Entry) -> Iterator[Entry]:
    todo, seen = [entry], set()
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        todo.extend(one.previous)
        if one.call is not None:
            todo.extend(one.call.inputs)


RULE = Rule(
    kind="detach",
    title="Codebook and commitment weights swapped",
    what=WHAT,
    why="The encoder chases codes that hardly move, and the codebook does not follow the data.",
    instead="Give the smaller weight to the term that detaches the code: `0.25 * (z - code.detach()).pow(2).mean()`.",
    severity=Severity.WASTE,
    bad="""
import torch
from torch import nn

encoder, codes, x = nn.Linear(3, 2), nn.Embedding(4, 2), torch.randn(8, 3)
optimizer = torch.optim.SGD([*encoder.parameters(), *codes.parameters()], lr=0.1)


def step():
    z = encoder(x)
    code = codes(torch.cdist(z, codes.weight).argmin(1))
    return 0.25 * (z.detach() - code).pow(2).mean() + (z - code.detach()).pow(2).mean()  # <--
""",
    good="""
import torch
from torch import nn

encoder, codes, x = nn.Linear(3, 2), nn.Embedding(4, 2), torch.randn(8, 3)
optimizer = torch.optim.SGD([*encoder.parameters(), *codes.parameters()], lr=0.1)


def step():
    z = encoder(x)
    code = codes(torch.cdist(z, codes.weight).argmin(1))
    return (z.detach() - code).pow(2).mean() + 0.25 * (z - code.detach()).pow(2).mean()
""",
    check=check,
)
