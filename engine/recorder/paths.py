"""The ways by which a gradient came to each parameter, by line.

A parameter that is used in two places has two ways. A detach that is missing can't be seen in one run, but here
the reader sees the way that was not meant: a critic's weight that the actor's line moves.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.recorder.backward import BackwardPass
from engine.recorder.frames import Line
from engine.recorder.records import GradientPath, GradientState
from engine.recorder.scene import Scene

MOST = 12
"""Ways that are listed for one parameter: a recurrent weight has one a time step, most of them alike."""


class Way(NamedTuple):
    """The lines and operations from a node to the loss, and what came to the node by it."""

    lines: tuple[Line, ...]
    operations: tuple[str, ...]
    state: GradientState


def find_paths(scene: Scene) -> dict[str, tuple[GradientPath, ...]]:
    """By parameter: its ways, those with different lines only."""
    wanted = {scene.tape.flow.graph.bit_of.get(id(p)): name for name, p in scene.names.parameters.items()}
    found: dict[str, dict[tuple[Line, ...], GradientPath]] = {}
    for run in scene.tape.backwards:
        if not run.to_leaves:
            continue
        ways = _ways(run, scene)
        for node, edges in run.edges.items():
            for number, (target, _) in enumerate(edges):
                if target is None or not target[1] or target[0] not in wanted or node not in ways:
                    continue
                way = ways[node]
                state = _sent(run, node, number, way.state)
                if state == "none":
                    continue
                lines, operations = way.lines, way.operations
                mine = found.setdefault(wanted[target[0]], {})
                if len(mine) < MOST and (lines not in mine or mine[lines].state == "zero"):
                    mine[lines] = GradientPath(
                        tuple(scene.location(line) for line in lines), operations, state
                    )
    return {name: tuple(paths.values()) for name, paths in found.items()}


def _ways(run: BackwardPass, scene: Scene) -> dict[int, Way]:
    """By node: the lines from it to the loss along its shortest way, each line once, the nearest first."""
    ways: dict[int, Way] = {}
    above: dict[int, Way] = {}
    todo: list[int] = []
    for root in run.roots:
        if root.sequence is not None and root.sequence in run.edges and root.sequence not in above:
            above[root.sequence] = Way((), (), "value" if run.finished else "none")
            todo.append(root.sequence)
    at = 0
    while at < len(todo):
        node = todo[at]
        at += 1
        line, operation = scene.made_at(node)
        lines, operations, state = above[node]
        if line is not None and (not lines or lines[0] != line):
            lines = (line, *(other for other in lines if other != line))
        if operation and (not operations or operations[0] != operation):
            operations = (operation, *operations[: MOST - 1])
        ways[node] = Way(lines, operations, state)
        for number, (target, _) in enumerate(run.edges[node]):
            if target is not None and not target[1] and target[0] not in above and target[0] in run.edges:
                above[target[0]] = Way(lines, operations, _sent(run, node, number, state))
                todo.append(target[0])
    return ways


def _sent(run: BackwardPass, node: int, edge: int, otherwise: GradientState) -> GradientState:
    """What a node sent along an edge; for one that was not watched, what came to it."""
    sent = run.sent.get(node)
    if sent is None:
        return otherwise
    return sent[edge] if edge < len(sent) else "none"
