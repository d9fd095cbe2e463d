"""The cuts: every place where the path from a tracked tensor ends, and whom that starves.

A call is a cut where leaves that autograd knew behind its inputs are gone behind an output. Calls of one `with`
block are one cut, at the line of the block. A cut matters where its untracked output went into the loss by value;
where nothing of it did, or where what it holds back is a target on purpose, it is shown and not warned about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..capture.data_flow import Call, Entry
from ..capture.frames import Line
from .facts import Scene


@dataclass(slots=True, eq=False)
class CutFound:
    """One cut, gathered from all calls that make it."""

    kind: str
    line: Line | None
    calls: list[Call] = field(default_factory=list)
    lost: int = 0
    lost_on_the_way: int = 0
    """Lost by an output that went into the loss, with certainty."""
    lost_perhaps: int = 0
    outputs: list[Entry] = field(default_factory=list)
    starved: list[str] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
    possible: bool = False
    intended: bool = True
    why: str = ""
    first: int = 0


def find_cuts(scene: Scene) -> list[CutFound]:
    """All cuts in the order of the code, with the parameters that starve by each."""
    found: dict[tuple[str, Line | None], CutFound] = {}
    for call, lost in [
        *_lost_before(scene),
        *((call, _lost(call, scene)) for call in scene.tape.calls if call.kind),
    ]:
        bits = 0
        for _, gone in lost:
            bits |= gone
        if not bits:
            continue
        key = (call.kind, call.kind_line or call.line)
        cut = found.setdefault(key, CutFound(call.kind, key[1], first=call.number))
        if call.outputs:  # one of an earlier call of the step was untied from its tensors
            cut.calls.append(call)
        cut.lost |= bits
        for entry, gone in lost:
            cut.outputs.append(entry)
            if id(entry) in scene.into_loss:
                cut.lost_on_the_way |= gone
            elif id(entry) in scene.perhaps:
                cut.lost_perhaps |= gone
    cuts = sorted(found.values(), key=lambda cut: cut.first)
    _blame(cuts, scene)
    return [cut for cut in cuts if cut.starved or not cut.calls or any(call.in_step for call in cut.calls)]


def _lost_before(scene: Scene) -> Iterator[tuple[Call, list[tuple[Entry, int]]]]:
    """Cuts of an earlier call of the step, behind what was carried over from it."""
    for entry in scene.tape.inputs:
        if entry.call is not None and entry.call.kind and not entry.call.inputs and not entry.call.sink:
            yield entry.call, [(entry, entry.value & ~entry.tracked)]


def _lost(call: Call, scene: Scene) -> list[tuple[Entry, int]]:
    """The outputs by which leaves were lost, each with those leaves as bits."""
    came = 0
    for entry in call.inputs:
        came |= entry.value if call.sink or call.operation in ("torch_tensor",) else entry.tracked
    if call.function is not None:
        came &= ~scene.tape.flow.graph.reach.get(call.function, 0)
    kept = 0
    for entry in call.outputs:
        kept |= entry.tracked
    lost = []
    for entry in call.outputs:
        gone = came & ~entry.tracked if not entry.tracked else came & ~kept
        if gone and not (entry.tracked and call.kind == "integer"):
            lost.append((entry, gone))
    return lost


def _blame(cuts: list[CutFound], scene: Scene) -> None:
    """Gives each starved parameter to the cuts that stand between it and the loss."""
    certain: set[str] = set()
    for cut in cuts:
        certain.update(n for n in scene.named(cut.lost_on_the_way) if scene.states.get(n) == "none")
    in_step = {
        n for cut in cuts if any(call.in_step for call in cut.calls) for n in scene.named(cut.lost_on_the_way)
    }
    for cut in cuts:
        on_the_way = scene.named(cut.lost_on_the_way)
        cut.starved = [n for n in on_the_way if scene.states.get(n) == "none" and n not in scene.wiped]
        if not any(call.in_step for call in cut.calls):
            cut.starved = [n for n in cut.starved if n not in in_step]
        cut.partial = [n for n in on_the_way if scene.states.get(n) in ("gradient", "zero")]
        perhaps = [
            n for n in scene.named(cut.lost_perhaps)
            if scene.states.get(n) == "none" and n not in certain and n not in scene.wiped
        ]  # fmt: skip
        if perhaps and not cut.starved:
            cut.starved, cut.possible = perhaps, True
