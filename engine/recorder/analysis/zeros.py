"""Gradients that came and are all zeros: which operation made them so.

From the starved leaf the watched backward pass is walked towards the loss, along edges that carried zeros, until a
node is met that got a value and sent zeros on (`sign`, `round`, a dead `relu`, an unused output of a custom
Function), or a tensor to which several values came that add up to zero (two paths that cancel).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..capture.backward import BackwardPass, Target
from ..capture.frames import Line
from ..capture.postorder import postorder
from ..record import GradientState
from .cause import Cause
from .causes import cause_of, changed_after, is_product, starts_at_zero
from .facts import Facts


@dataclass(frozen=True, slots=True, eq=False)
class ZeroFound:
    """One operation that turned a gradient into zeros, or sent none on."""

    kind: str
    line: Line | None
    operation: str
    starved: tuple[str, ...]
    harmless: bool = False
    """True where one step of training ends it, a package means it so, or the parameter's module learns all the same."""
    cause: Cause | None = None

    def why(self, nothing: bool = False) -> str:
        """What the operation does, as half a sentence; `nothing` where it sends no gradient, not even zeros."""
        if self.cause is not None:
            return self.cause.why
        if self.kind == "cancel":
            return "the gradients of two paths cancel"
        if self.kind == "custom_function":
            return f"the custom Function `{self.operation}` returns {'no gradient' if nothing else 'zeros'}"
        if self.kind == "not_in_graph":
            return f"`{self.operation}` got a gradient but passed none on"
        return f"the derivative of `{self.operation or 'this operation'}` is zero here"


@dataclass(frozen=True)
class Incoming:
    """The edges of a backward pass, the other way round."""

    edges: dict[tuple[Target, int], list[tuple[int, int]]]
    """By target and the number of its output: the (node, edge) that lead there."""
    outputs: dict[Target, list[int]]
    """By target: the numbers of its outputs that something leads to."""


def find_zeros(facts: Facts) -> tuple[ZeroFound, ...]:
    """The operations behind every parameter whose gradient is all zeros."""
    found: dict[tuple[str, Line | None, str, bool, Cause | None], dict[str, None]] = {}
    walks: dict[int, _Walk] = {}
    for name, state in facts.states.items():
        if state != "zero" or name in facts.wiped or name not in facts.once:
            continue
        tensor = facts.tensor(name)
        bit = facts.bit(tensor)
        for run, _ in facts.arrivals(tensor)[-1:]:
            walk = walks.get(id(run)) or walks.setdefault(id(run), _Walk(run, "zero"))
            came = run.arrived.get(bit) == "value" or walk.sends_value(bit)
            later = changed_after(bit, facts) if came else None
            if later is not None:
                found.setdefault(("zero_op", later.line, "", False, later), {})[name] = None
                continue
            for kind, node, at_leaf in walk.origins(bit):
                cause = cause_of(node, bit, facts) if kind in ("zero_op", "cancel") else None
                made = facts.made_by(node)
                line = made.line if cause is None or cause.line is None else cause.line
                passes = cause.passes if cause is not None else _scales_by_a_start(run, node, bit, facts)
                summed = kind == "cancel" or (kind == "zero_op" and cause is None and is_product(node, facts))
                harmless = passes or (at_leaf and summed and _sibling_moves(name, facts))
                found.setdefault((kind, line, made.operation, harmless, cause), {})[name] = None
    return tuple(
        ZeroFound(kind, line, operation, tuple(starved), harmless, cause)
        for (kind, line, operation, harmless, cause), starved in found.items()
    )


def _scales_by_a_start(run: BackwardPass, node: int, bit: int, facts: Facts) -> bool:
    """Whether a custom Function sent a value straight to a weight that is all zeros before its first step.

    Its weights come before its biases, as everywhere in torch, so that the first leaf is the one to look at.
    """
    if node not in run.python_nodes:
        return False
    leaves = [(edge, to[0]) for edge, (to, _) in enumerate(run.edges(node)) if to is not None and to[1]]
    others = [(edge, leaf) for edge, leaf in leaves if leaf != bit][:1]
    return any(_sent(run, node, edge) == "value" and starts_at_zero(leaf, facts) for edge, leaf in others)


def find_dropped(facts: Facts) -> tuple[ZeroFound, ...]:
    """The nodes that got a gradient and sent none on to a parameter that autograd knows behind them."""
    found: dict[int, tuple[str, Line | None, str, dict[str, None]]] = {}
    walks: dict[int, _Walk] = {}
    for name, state in facts.states.items():
        if state != "none" or name in facts.wiped or name not in facts.once:
            continue
        bit = facts.bit(facts.tensor(name))
        for run in facts.passes:
            if not run.finished or run.arrived.get(bit) != "none":
                continue
            walk = walks.get(id(run)) or walks.setdefault(id(run), _Walk(run, "none"))
            for origin, node, _ in walk.origins(bit):
                made = facts.made_by(node)
                custom = origin == "custom_function"
                kind = "custom_function" if custom else "not_in_graph"
                operation = run.operations[node].removesuffix("Backward") if custom else made.operation
                found.setdefault(node, (kind, made.line, operation, {}))[3][name] = None
    return tuple(ZeroFound(kind, line, operation, tuple(n)) for kind, line, operation, n in found.values())


Place = tuple[Target, int]
"""An output of a node, or a leaf, to which gradients come."""
Origin = tuple[str, int]
"""What turned a value into zeros or nothing: the kind and the node."""


class _Walk:
    """From starved leaves towards the loss, along edges of one pass that carried what is `lost`: zeros or nothing.

    Most leaves share most of their way, so what lies above each output of a node is looked for once.
    """

    def __init__(self, run: BackwardPass, lost: GradientState) -> None:
        self._run, self._lost = run, lost
        self._into = incoming(run)
        self._above: dict[tuple[Target, int], tuple[Origin, ...]] = {}

    def origins(self, bit: int) -> Iterator[tuple[str, int, bool]]:
        """(kind, node, whether it is right at the leaf) of all that turned a value into what a leaf lost."""
        here, on = self._nearest(((bit, True), 0))
        further = dict.fromkeys(origin for place in reversed(on) for origin in self._from(place))
        yield from here
        yield from ((kind, node, False) for kind, node in further)

    def sends_value(self, bit: int) -> bool:
        """Whether a value was on its way to the leaf by a watched node right above it."""
        above = self._watched_above((bit, True), 0)
        return any(_sent(self._run, node, edge) == "value" for node, edge, _ in above)

    def _from(self, start: Place) -> tuple[Origin, ...]:
        """The origins above an output of a node."""
        above = self._above
        nearest: dict[Place, tuple[list[tuple[str, int, bool]], list[Place]]] = {}

        def further(place: Place) -> Iterable[Place]:
            if place in above:
                return ()
            nearest[place] = self._nearest(place)
            return nearest[place][1]

        for place in postorder([start], further):
            if place in above:
                continue
            here, on = nearest[place]
            if not here and len(on) == 1:
                above[place] = above[on[0]]
            else:
                found = dict.fromkeys((kind, node) for kind, node, _ in here)
                for one in reversed(on):
                    found.update(dict.fromkeys(above[one]))
                above[place] = tuple(found)
        return above[start]

    def _nearest(self, place: Place) -> tuple[list[tuple[str, int, bool]], list[Place]]:
        """What turned a value into what is lost right above a place, and the places where the search goes on."""
        run, (target, _) = self._run, place
        arriving = self._watched_above(*place)
        values = [(node, below) for node, edge, below in arriving if _sent(run, node, edge) == "value"]
        if len(values) > 1:  # values that nevertheless came to zero in all
            return [("cancel", max(node for node, _ in values), True)], []
        if values:  # one value, lost in a node between that is not watched, or in a hook on the tensor itself
            node, below = values[0]
            hooked = node if target[1] else target[0]
            return [("zero_op", hooked if below is None else below, False)], []
        here: list[tuple[str, int, bool]] = []
        on: list[Place] = []
        for node, edge, _ in arriving:
            if _sent(run, node, edge) != self._lost:
                continue
            came = run.came.get(node, ())
            if "value" in came:
                here.append(("custom_function" if node in run.python_nodes else "zero_op", node, True))
            else:
                on += [((node, False), number) for number in range(max(1, len(came)))]
        return here, on

    def _watched_above(self, target: Target, output: int) -> list[tuple[int, int, int | None]]:
        """(node, its edge, the unwatched node below it on the way, if any) of the nearest watched nodes above."""
        sent, edges, outputs = self._run.sent, self._into.edges, self._into.outputs
        found: list[tuple[int, int, int | None]] = []
        todo: list[tuple[Target, int, int | None]] = [(target, output, None)]
        seen: set[int] = set()
        while todo:
            at, number, below = todo.pop()
            for node, edge in edges.get((at, number), ()):
                if node in sent:
                    found.append((node, edge, below))
                elif node not in seen:
                    seen.add(node)
                    todo += [((node, False), n, node) for n in outputs.get((node, False), ())]
        return found


def _sibling_moves(name: str, facts: Facts) -> bool:
    """Whether another parameter of the same module got a value: then the parts of this one happen to add up to zero."""
    module = name.rpartition(".")[0]
    return bool(module) and module in facts.fed_modules


def incoming(run: BackwardPass) -> Incoming:
    """The edges of a pass by where they lead."""
    edges: dict[tuple[Target, int], list[tuple[int, int]]] = {}
    outputs: dict[Target, list[int]] = {}
    for node in run.next:
        for number, (target, output) in enumerate(run.edges(node)):
            if target is not None:
                there = edges.setdefault((target, output), [])
                if not there:
                    outputs.setdefault(target, []).append(output)
                there.append((node, number))
    return Incoming(edges, outputs)


def _sent(run: BackwardPass, node: int, edge: int) -> str:
    sent = run.sent.get(node, ())
    return sent[edge] if edge < len(sent) else "none"
