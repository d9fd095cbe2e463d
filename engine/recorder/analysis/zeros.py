"""Gradients that came and are all zeros: which operation made them so.

From the starved leaf the watched backward pass is walked towards the loss, along edges that carried zeros, until a
node is met that got a value and sent zeros on (`sign`, `round`, a dead `relu`, an unused output of a custom
Function), or a tensor to which several values came that add up to zero (two paths that cancel).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..capture.backward import BackwardPass, Target
from ..capture.frames import Line
from ..record import GradientState
from .causes import Cause, cause_of, changed_after
from .facts import Scene, arrivals

Incoming = dict[tuple[Target, int], list[tuple[int, int]]]


@dataclass(slots=True, eq=False)
class ZeroFound:
    """One operation that turned a gradient into zeros."""

    kind: str
    line: Line | None
    operation: str
    starved: list[str] = field(default_factory=list)
    harmless: bool = False
    """True where one step of training ends it, or where the parameter's module learns all the same."""
    cause: Cause | None = None


def find_zeros(scene: Scene) -> list[ZeroFound]:
    """The operations behind every parameter whose gradient is all zeros."""
    found: dict[tuple[str, Line | None, str], ZeroFound] = {}
    for name, state in scene.states.items():
        if state != "zero":
            continue
        tensor = scene.tensor(name)
        bit = scene.bit(tensor)
        for run, _ in arrivals(scene, tensor)[-1:]:
            into = incoming(run)
            came = run.arrived.get(bit) == "value" or _sent_value(run, into, bit)
            later = changed_after(bit, scene) if came else None
            if later is not None:
                zero = found.setdefault(("zero_op", later.line, ""), ZeroFound("zero_op", later.line, ""))
                zero.cause = later
                zero.starved.append(name)
                continue
            for kind, node, at_leaf in _origins(run, into, (bit, True), "zero"):
                cause = cause_of(node, bit, scene) if kind in ("zero_op", "cancel") else None
                line, operation = scene.made_at(node)
                line = line if cause is None or cause.line is None else cause.line
                zero = found.setdefault((kind, line, operation), ZeroFound(kind, line, operation))
                zero.cause = cause
                passes = zero.cause is not None and zero.cause.passes
                zero.harmless = passes or (at_leaf and _sibling_moves(name, scene))
                if name not in zero.starved:
                    zero.starved.append(name)
    return list(found.values())


def find_dropped(scene: Scene) -> list[ZeroFound]:
    """The nodes that got a gradient and sent none on to a parameter that autograd knows behind them."""
    found: dict[int, ZeroFound] = {}
    for name, state in scene.states.items():
        if state != "none" or name in scene.wiped:
            continue
        bit = scene.bit(scene.tensor(name))
        for run in scene.tape.backwards:
            if not run.finished or run.arrived.get(bit) != "none":
                continue
            for kind, node, _ in _origins(run, incoming(run), (bit, True), "none"):
                line, operation = scene.made_at(node)
                operation = (
                    run.operations[node].removesuffix("Backward") if kind == "custom_function" else operation
                )
                one = found.setdefault(node, ZeroFound(kind, line, operation))
                one.kind = "custom_function" if kind == "custom_function" else "not_in_graph"
                if name not in one.starved:
                    one.starved.append(name)
    return list(found.values())


def _origins(
    run: BackwardPass, into: Incoming, start: Target, lost: GradientState
) -> list[tuple[str, int, bool]]:
    """(kind, node, whether it is right at the leaf) of what turned a value into `lost`: zeros or nothing."""
    found: list[tuple[str, int, bool]] = []
    todo, seen = [(start, 0)], set()
    while todo:
        target, output = todo.pop()
        if (target, output) in seen:
            continue
        seen.add((target, output))
        arriving = _watched_above(run, into, target, output)
        values = [(node, below) for node, edge, below in arriving if _sent(run, node, edge) == "value"]
        if len(values) > 1:  # values that nevertheless came to zero in all
            found.append(("cancel", max(node for node, _ in values), target == start))
            continue
        if values:  # one value, lost in a node between that is not watched, or in a hook on the tensor itself
            node, below = values[0]
            hooked = node if target[1] else target[0]
            found.append(("zero_op", hooked if below is None else below, False))
            continue
        for node, edge, _ in arriving:
            if _sent(run, node, edge) != lost:
                continue
            came = run.came.get(node, ())
            if "value" in came:
                found.append(("custom_function" if node in run.python_nodes else "zero_op", node, False))
            else:
                todo += [((node, False), number) for number in range(max(1, len(came)))]
    return found


def _watched_above(
    run: BackwardPass, into: Incoming, target: Target, output: int
) -> list[tuple[int, int, int | None]]:
    """(node, its edge, the unwatched node below it on the way, if any) of the nearest watched nodes above."""
    found: list[tuple[int, int, int | None]] = []
    todo: list[tuple[Target, int, int | None]] = [(target, output, None)]
    seen: set[tuple[Target, int]] = set()
    while todo:
        at, number, below = todo.pop()
        for node, edge in into.get((at, number), []):
            if node in run.sent:
                found.append((node, edge, below))
            elif ((node, False), 0) not in seen:
                seen.add(((node, False), 0))
                outputs = {n for edges in (into.keys(),) for t, n in edges if t == (node, False)}
                todo += [((node, False), n, node) for n in outputs]
    return found


def _sibling_moves(name: str, scene: Scene) -> bool:
    """Whether another parameter of the same module got a value: a bias whose gradients happen to add up to zero."""
    module = name.rpartition(".")[0]
    return bool(module) and any(
        other.rpartition(".")[0] == module and state == "gradient" for other, state in scene.states.items()
    )


def incoming(run: BackwardPass) -> Incoming:
    """By target and output number: the (node, edge number) that lead there."""
    into: Incoming = {}
    for node in run.next:
        for number, (target, output) in enumerate(run.edges(node)):
            if target is not None:
                into.setdefault((target, output), []).append((node, number))
    return into


def _sent(run: BackwardPass, node: int, edge: int) -> str:
    sent = run.sent.get(node, ())
    return sent[edge] if edge < len(sent) else "none"


def _sent_value(run: BackwardPass, into: Incoming, bit: int) -> bool:
    """Whether a value was on its way to the leaf by a watched node right above it."""
    above = _watched_above(run, into, (bit, True), 0)
    return any(_sent(run, node, edge) == "value" for node, edge, _ in above)
