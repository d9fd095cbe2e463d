"""The ways by which a gradient came to each parameter, by line.

A parameter that is used in two places has two ways. A detach that is missing can't be seen in one run, but here
the reader sees the way that was not meant: a critic's weight that the actor's line moves.
"""

from __future__ import annotations

from engine.recorder.backward import BackwardPass
from engine.recorder.frames import Line
from engine.recorder.records import GradientPath
from engine.recorder.scene import Scene

MOST = 12
"""Ways that are listed for one parameter: a recurrent weight has one a time step, most of them alike."""

Way = tuple[tuple[Line, ...], tuple[str, ...]]


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
                if target is None or not target[1] or target[0] not in wanted:
                    continue
                sent = run.sent.get(node, ())
                state = sent[number] if number < len(sent) else "none"
                if state == "none":
                    continue
                lines, operations = ways.get(node, ((), ()))
                mine = found.setdefault(wanted[target[0]], {})
                if len(mine) < MOST and (lines not in mine or mine[lines].state == "zero"):
                    mine[lines] = GradientPath(
                        tuple(scene.location(line) for line in lines), operations, state
                    )
    return {name: tuple(paths.values()) for name, paths in found.items()}


def _ways(run: BackwardPass, scene: Scene) -> dict[int, Way]:
    """By node: the lines from it to the loss along its shortest way, equal neighbours joined."""
    parent: dict[int, int | None] = {}
    roots = [e.sequence for e in run.roots if e.sequence is not None and e.sequence in run.edges]
    ways: dict[int, Way] = {}
    todo = list(dict.fromkeys(roots))
    for root in todo:
        parent[root] = None
    at = 0
    while at < len(todo):
        node = todo[at]
        at += 1
        line, operation = scene.made_at(node)
        up = parent[node]
        lines, operations = ways[up] if up is not None else ((), ())
        if line is not None and (not lines or lines[0] != line):
            lines = (line, *lines)
        if operation and (not operations or operations[0] != operation):
            operations = (operation, *operations)
        ways[node] = (lines, operations)
        for target, _ in run.edges[node]:
            if target is not None and not target[1] and target[0] not in parent and target[0] in run.edges:
                parent[target[0]] = node
                todo.append(target[0])
    return ways
