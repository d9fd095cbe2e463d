"""The graph that the picture draws: the calls of both twins on the same nodes, and the cuts on its edges.

The steps of the twins are the same calls but for the detach, so a node stands for one call in both of them. A
`detach()` is no node: it is a mark on the edge from what it was called on to what takes its result, which is where a
reader looks for scissors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from engine.recorder import StepRecord
from engine.recorder.record import Stage

Twins = tuple[Stage | None, ...]
"""One call in each twin; None in the one that lacks it."""
Missing = Literal["", "starved", "refused", "unneeded", "unused"]


@dataclass(frozen=True)
class Node:
    """A call of the step, or a tensor that it starts from."""

    twins: Twins
    missing: tuple[Missing, ...]
    """For each twin why no gradient came; "" where one did, or where the twin lacks the call."""

    @property
    def stage(self) -> Stage:
        """The call, in a twin that has it."""
        return next(stage for stage in reversed(self.twins) if stage is not None)


@dataclass(frozen=True)
class Edge:
    """A tensor on its way from one node to another."""

    start: int
    end: int
    cut: tuple[bool, ...]
    """For each twin whether a `detach()` stands on it."""


@dataclass(frozen=True)
class Graph:
    """All of a step."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def graph_of(steps: tuple[StepRecord, ...]) -> Graph:
    """The graph of one step, or of the same step in both twins, the one without the detach first."""
    rows = _aligned(steps)
    place = [
        {s.index: n for n, row in enumerate(rows) if (s := row[t]) is not None} for t in range(len(steps))
    ]
    found: dict[tuple[int, int], list[set[bool]]] = {}
    for twin, step in enumerate(steps):
        for start, end, cut in _edges(step):
            ends = place[twin][start], place[twin][end]
            found.setdefault(ends, [set() for _ in steps])[twin].add(cut)
    nodes = [Node(row, tuple(_missing(row, t, steps) for t in range(len(steps)))) for row in rows]
    edges = []
    for (start, end), by_twin in found.items():
        cuts = tuple(bool(ways) and all(ways) for ways in by_twin)
        edges.append(Edge(start, end, cuts))
    return Graph(tuple(nodes), tuple(edges))


def refused(step: StepRecord) -> bool:
    """Whether `backward()` raised before a gradient came to anything."""
    raised = step.raised is not None and step.raised.stage == "backward"
    return raised and not any(sent.reached for sent in step.backwards)


def ends_of_detaches(step: StepRecord, other: StepRecord) -> Iterator[tuple[Stage, Stage]]:
    """For each detach that `step` has and `other` lacks: the calls of `other` on both sides of it."""
    rows = _aligned((other, step), keep_detaches=True)
    twin = {own.index: one for one, own in rows if own is not None}
    for stage in step.stages:
        if stage.operation != "detach" or twin.get(stage.index) is not None:
            continue
        for start, end, cut in _edges(step):
            one, another = twin.get(start), twin.get(end)
            if cut and stage.index in _through(step, end, start) and one is not None and another is not None:
                yield one, another


def first_untracked(step: StepRecord, other: StepRecord) -> Iterator[Stage]:
    """The calls of `other` whose results are tracked there and not in `step`, where their inputs still are alike."""
    rows = _aligned((other, step))
    lost = {
        own.index for one, own in rows if one and own and one.output.requires_grad > own.output.requires_grad
    }
    for one, own in rows:
        if one is not None and own is not None and own.index in lost and not lost & set(own.inputs):
            yield one


def _aligned(steps: tuple[StepRecord, ...], keep_detaches: bool = False) -> list[Twins]:
    """The calls of all steps in one order, each beside the same call of the other step."""
    lists = [
        [s for s in step.stages if (keep_detaches or s.operation != "detach") and not _is_buffer(s, step)]
        for step in steps
    ]
    if len(lists) == 1:
        return [(stage,) for stage in lists[0]]
    one, other = lists
    matcher = SequenceMatcher(None, [_key(s) for s in one], [_key(s) for s in other], autojunk=False)
    rows: list[Twins] = []
    for kind, a, after, b, until in matcher.get_opcodes():
        if kind == "equal":
            rows += zip(one[a:after], other[b:until], strict=True)
        else:
            rows += [(stage, None) for stage in one[a:after]]
            rows += [(None, stage) for stage in other[b:until]]
    return rows


def _key(stage: Stage) -> tuple[str, str, tuple[int, ...]]:
    return stage.operation, stage.module, stage.output.shape


def _is_buffer(stage: Stage, step: StepRecord) -> bool:
    """Whether an input is a module's own, such as the running mean of a batch normalization."""
    owner = stage.output.name.rpartition(".")[0]
    return stage.operation == "input" and bool(owner) and any(s.module == owner for s in step.stages)


def _edges(step: StepRecord) -> Iterator[tuple[int, int, bool]]:
    """Each way of a tensor from one shown call to the next, by their indices, and whether a detach stands on it."""
    for stage in step.stages:
        if stage.operation == "detach":
            continue
        for index in dict.fromkeys(stage.inputs):
            start, cut = index, False
            while step.stages[start].operation == "detach" and step.stages[start].inputs:
                start, cut = step.stages[start].inputs[0], True
            if not _is_buffer(step.stages[start], step) and step.stages[start].operation != "detach":
                yield start, stage.index, cut


def _through(step: StepRecord, end: int, start: int) -> set[int]:
    """The detaches between two calls."""
    found: set[int] = set()
    for index in step.stages[end].inputs:
        way = []
        while step.stages[index].operation == "detach" and step.stages[index].inputs:
            way.append(index)
            index = step.stages[index].inputs[0]
        if index == start:
            found.update(way)
    return found


def _missing(row: Twins, twin: int, steps: tuple[StepRecord, ...]) -> Missing:
    stage, step = row[twin], steps[twin]
    if stage is None or stage.gradient_state != "none":
        return ""
    if not any(s is not None and s.output.requires_grad for s in row):
        return "unneeded"
    if refused(step):
        return "refused"
    if all(s is None or s.gradient_state == "none" for s in row) and len(row) > 1:
        return "unused"
    return "starved"
