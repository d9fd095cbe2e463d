"""Gradients that came and are all zeros: which operation made them so.

From the starved leaf the watched backward pass is walked towards the loss, along edges that carried zeros, until a
node is met that got a value and sent zeros on (`sign`, `round`, a dead `relu`, an unused output of a custom
Function), or a tensor to which several values came that add up to zero (two paths that cancel).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.recorder.backward import BackwardPass, Target
from engine.recorder.frames import Line
from engine.recorder.scene import Scene, arrivals


@dataclass(slots=True, eq=False)
class ZeroFound:
    """One operation that turned a gradient into zeros."""

    kind: str
    line: Line | None
    operation: str
    starved: list[str] = field(default_factory=list)
    harmless: bool = False
    """True where a factor that is itself zero and is being trained explains it: it is gone after one step."""


def find_zeros(scene: Scene) -> list[ZeroFound]:
    """The operations behind every parameter whose gradient is all zeros."""
    found: dict[tuple[str, Line | None, str], ZeroFound] = {}
    for name, state in scene.states.items():
        if state != "zero":
            continue
        tensor = scene.tensor(name)
        bit = scene.tape.flow.graph.bit_of.get(id(tensor), -1)
        for run, _ in arrivals(scene, tensor)[-1:]:
            for kind, node in _origins(run, (bit, True)):
                line, operation = scene.made_at(node)
                harmless = kind == "zero_op" and _zero_factor(run, node, scene)
                zero = found.setdefault((kind, line, operation), ZeroFound(kind, line, operation))
                zero.harmless = harmless
                if name not in zero.starved:
                    zero.starved.append(name)
    return list(found.values())


def _origins(run: BackwardPass, start: Target) -> list[tuple[str, int]]:
    into = incoming(run)
    found: list[tuple[str, int]] = []
    todo, seen = [(start, 0)], set()
    while todo:
        target, output = todo.pop()
        if (target, output) in seen:
            continue
        seen.add((target, output))
        arriving = into.get((target, output), [])
        values = [n for n, edge in arriving if _sent(run, n, edge) == "value"]
        if values:  # values that nevertheless came to zero in all
            found.append(("cancel", max(values)))
            continue
        for node, edge in arriving:
            if _sent(run, node, edge) != "zero":
                continue
            came = run.came.get(node, ())
            if "value" in came:
                found.append(("custom_function" if node in run.python_nodes else "zero_op", node))
            else:
                todo += [((node, False), number) for number, state in enumerate(came) if state == "zero"]
    return found


def incoming(run: BackwardPass) -> dict[tuple[Target, int], list[tuple[int, int]]]:
    """By target and output number: the (node, edge number) that lead there."""
    into: dict[tuple[Target, int], list[tuple[int, int]]] = {}
    for node, edges in run.edges.items():
        for number, (target, output) in enumerate(edges):
            if target is not None:
                into.setdefault((target, output), []).append((node, number))
    return into


def _sent(run: BackwardPass, node: int, edge: int) -> str:
    sent = run.sent.get(node, ())
    return sent[edge] if edge < len(sent) else "none"


def _zero_factor(run: BackwardPass, node: int, scene: Scene) -> bool:
    """Whether the node multiplies by a trained leaf that is all zeros and is itself being moved."""
    for number, (target, _) in enumerate(run.edges.get(node, ())):
        if _sent(run, node, number) != "value" or target is None:
            continue
        bits = 1 << target[0] if target[1] else scene.tape.flow.graph.reach.get(target[0], 0)
        for name in scene.named(bits):
            tensor = scene.tensor(name) if name in scene.names.parameters else None
            if (
                tensor is not None
                and scene.states.get(name) == "gradient"
                and not bool(tensor.detach().any())
            ):
                return True
    return False
