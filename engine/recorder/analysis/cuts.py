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
from ..capture.kept import kept
from .facts import Facts, open_ways


@dataclass(frozen=True, eq=False)
class CutFound:
    """One cut, gathered from all calls that make it."""

    kind: str
    line: Line | None
    calls: tuple[Call, ...]
    outputs: tuple[Entry, ...]
    lost: int
    """All leaves that are lost here, as bits."""
    lost_on_the_way: int
    """Lost by an output that went into the loss, with certainty."""
    starved: tuple[str, ...]
    partial: tuple[str, ...]
    """Parameters that lost this path and have a gradient by another."""
    possible: bool
    intended: bool = True
    why: str = ""
    """Why it is taken to be intended."""

    @kept
    def rule(self) -> str:
        """The name of the rule that reports it: its kind, but that a count of floats is made of no integers, and that
        a distribution draws without a history."""
        if self.drawn:
            return "sampled"
        counted = self.kind == "integer" and all(e.floating for e in self.outputs if not e.tracked)
        return "no_derivative" if counted else self.kind

    @property
    def drawn(self) -> bool:
        """Whether a distribution drew numbers there."""
        return any(call.drawn for call in self.calls)

    @property
    def in_step(self) -> bool:
        """Whether it stands in the step, and not before it."""
        return not self.calls or any(call.in_step for call in self.calls)


@dataclass(slots=True, eq=False)
class _Gathered:
    """A cut on its way: what its calls lose, one after the other."""

    kind: str
    line: Line | None
    first: int
    calls: list[Call] = field(default_factory=list)
    outputs: list[Entry] = field(default_factory=list)
    lost: int = 0
    on_the_way: int = 0
    starving: int = 0
    """Lost here, and known to autograd nowhere on some way from here to the end."""
    perhaps: int = 0
    """The same by a way through plain numbers, which can't be proven."""


def find_cuts(facts: Facts) -> tuple[CutFound, ...]:
    """All cuts in the order of the code, with the parameters that starve by each."""
    found: dict[tuple[str, Line | None], _Gathered] = {}
    hungry = _starving_bits(facts)
    certain = open_ways(facts.roots, hungry)
    possible = open_ways(facts.roots, hungry, facts.sinks) if facts.sinks else certain
    for call, lost in [
        *_lost_before(facts),
        *((call, _lost(call, facts)) for call in facts.calls if call.kind),
    ]:
        bits = 0
        for _, gone in lost:
            bits |= gone
        if not bits:
            continue
        key = (call.kind, call.kind_line or call.line)
        cut = found.setdefault(key, _Gathered(*key, first=call.number))
        if call.outputs:  # one of an earlier call of the step was untied from its tensors
            cut.calls.append(call)
        cut.lost |= bits
        for entry, gone in lost:
            cut.outputs.append(entry)
            if id(entry) in facts.into_loss:
                cut.on_the_way |= gone
            cut.starving |= gone & certain.get(id(entry), 0)
            cut.perhaps |= gone & possible.get(id(entry), 0)
    cuts = _blamed(sorted(found.values(), key=lambda cut: cut.first), facts)
    return tuple(cut for cut in cuts if cut.starved or cut.in_step)


def _lost_before(facts: Facts) -> Iterator[tuple[Call, list[tuple[Entry, int]]]]:
    """Cuts of an earlier call of the step, behind what was carried over from it."""
    for entry in facts.inputs:
        if entry.call is not None and entry.call.kind and not entry.call.inputs and not entry.call.sink:
            yield entry.call, [(entry, entry.value & ~entry.tracked)]


def _lost(call: Call, facts: Facts) -> list[tuple[Entry, int]]:
    """The outputs by which leaves were lost, each with those leaves as bits."""
    came = 0
    for entry in call.inputs:
        came |= entry.value if call.sink or _rebuilds(call, entry.call) else entry.tracked
    if call.function is not None:
        came &= ~facts.flow.graph.reach.get(call.function, 0)
    kept = 0
    for entry in call.outputs:
        kept |= entry.tracked
    lost = []
    for entry in call.outputs:
        gone = came & entry.value & ~(kept if entry.tracked else 0)
        if gone and not (entry.tracked and call.kind == "integer"):
            lost.append((entry, gone))
    return lost


def _rebuilds(call: Call, source: Call | None) -> bool:
    """Whether a call builds a tensor of a list that was read in the same line: `torch.tensor(h.tolist())`."""
    return call.kind == "torch_tensor" and source is not None and source.sink and source.line == call.line


def _starving_bits(facts: Facts) -> int:
    """The named leaves to which no gradient came."""
    bits = 0
    for bit, name in facts.bits.items():
        if facts.states.get(name) == "none" and name not in facts.wiped:
            bits |= 1 << bit
    return bits


def _blamed(cuts: list[_Gathered], facts: Facts) -> Iterator[CutFound]:
    """The cuts, each with the starved parameters that it stands before."""

    certain, in_step = 0, 0
    for cut in cuts:
        certain |= cut.starving
        if any(call.in_step for call in cut.calls):
            in_step |= cut.starving
    for cut in cuts:
        before = not any(call.in_step for call in cut.calls)
        starved, possible = facts.named(cut.starving & ~(in_step if before else 0)), False
        if not starved:
            starved = facts.named(cut.perhaps & ~certain)
            possible = bool(starved)
        fed = [n for n in facts.named(cut.on_the_way) if facts.states.get(n) in ("gradient", "zero")]
        yield CutFound(
            cut.kind, cut.line, tuple(cut.calls), tuple(cut.outputs), cut.lost, cut.on_the_way,
            tuple(starved), tuple(fed), possible,
        )  # fmt: skip
