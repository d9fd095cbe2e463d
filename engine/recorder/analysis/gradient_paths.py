"""The ways by which a gradient came to each parameter, by line.

A parameter that is used in two places has two ways. A detach that is missing can't be seen in one run, but here
the reader sees the way that was not meant: a critic's weight that the actor's line moves.
"""

from __future__ import annotations

from typing import NamedTuple

from ..capture.backward import BackwardPass
from ..capture.frames import Line
from ..record import GradientPath, GradientState, Location
from .facts import Facts

MOST = 12
"""Ways that are listed for one parameter: a recurrent weight has one a time step, most of them alike."""


class Way(NamedTuple):
    """One path to a leaf: its bit, the gradient through it, and the lines and operations from its use to the loss."""

    leaf: int
    state: GradientState
    lines: tuple[Line, ...]
    operations: tuple[str, ...]


Above = tuple[tuple[Line, ...], tuple[str, ...], GradientState, int, int]
"""What lies above a node: lines, operations, what is sent down, and the nodes of the call above, from first to last."""


def find_paths(facts: Facts) -> dict[str, tuple[GradientPath, ...]]:
    """By the first name of each parameter: its ways, those with different lines only."""
    wanted = {facts.bit(p): name for name, p in facts.once.items()}
    found: dict[str, dict[tuple[Line, ...], GradientPath]] = {}
    for run in facts.passes:
        located: dict[tuple[Line, ...], tuple[Location, ...]] = {}
        for bit, state, lines, operations in _ways(run, facts):
            if state == "none" or bit not in wanted:
                continue
            mine = found.setdefault(wanted[bit], {})
            if len(mine) < MOST and (lines not in mine or mine[lines].state == "zero"):
                where = located.get(lines)
                if where is None:
                    where = located[lines] = tuple(
                        [at for line in lines if (at := facts.location(line)) is not None]
                    )
                mine[lines] = GradientPath(where, operations, state)
    return {name: tuple(paths.values()) for name, paths in found.items()}


def _ways(run: BackwardPass, facts: Facts) -> list[Way]:
    """The ways to the leaves, each along the shortest way from the loss: lines once each, the nearest first."""
    edges, all_sent, functions = run.next, run.sent, facts.functions
    found: list[Way] = []
    above: dict[int, Above] = {}
    todo: list[int] = []
    for root in run.roots:
        if root.sequence is not None and root.sequence in edges and root.sequence not in above:
            above[root.sequence] = ((), (), "value" if run.finished else "none", 0, 0)
            todo.append(root.sequence)
    for node in todo:  # grows while it is read
        here = lines, operations, state, first, last = above[node]
        if not first <= node < last or node in functions:
            first, last, line, operation = facts.made_by(node)
            if line is not None and (not lines or lines[0] != line):
                lines = (line, *[other for other in lines if other != line])
            if operation and (not operations or operations[0] != operation):
                operations = (operation, *operations[: MOST - 1])
            here = (lines, operations, state, first, last)
        sent = all_sent.get(node)
        if sent is None:  # not watched: it lies inside of a call
            for target in edges[node]:
                if target is None:
                    continue
                if target < 0:
                    found.append(Way(~target, state, lines, operations))
                elif target not in above:
                    above[target] = here
                    todo.append(target)
            continue
        for number, target in enumerate(edges[node]):
            if target is None:
                continue
            on: GradientState = sent[number] if number < len(sent) else "none"
            if target < 0:
                found.append(Way(~target, on, lines, operations))
            elif target not in above:
                above[target] = here if on == state else (lines, operations, on, first, last)
                todo.append(target)
    return found
