"""An `autograd.grad` with respect to what the differentiated value was not computed from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..analysis.cuts import CutFound
from ..analysis.facts import closure
from ..capture.backward import BackwardPass
from ..capture.data_flow import Entry
from ..rule import Fault, Rule, Severity

WHAT = "the tensor it is differentiated with respect to was not used to compute it"
NOT_USED, NO_GRADIENT = "not have been used in the graph", "differentiated Tensors does not require grad"
SLICED = (
    "Differentiate with respect to the whole and take the part of its gradient, `grad(loss, w)[0][0]`; or take the "
    "part first and compute with it."
)
SWITCH = "Call `.requires_grad_()` on it before anything is computed from it."
Place = tuple[int | None, int]


def check(analysis: Analysis) -> Iterator[Fault]:
    """A part that was taken too late, a path that was cut, or a tensor that has nothing to do with it."""
    raised = analysis.raised
    if (
        raised is None
        or not re.search(f"{NOT_USED}|{NO_GRADIENT}", raised.message)
        or not analysis.derivatives
        or any(switch.raised for switch in analysis.late_switches)
    ):
        return
    run = analysis.derivatives[-1]
    graph, cuts = _graph(run), _cuts_before(run, analysis)
    for entry, name in zip(run.about, run.called, strict=True):
        if NO_GRADIENT in raised.message:
            if not entry.requires_grad:
                text = f"{raised.type}: {_who(name)}{_made(entry, ', made')} does not require a gradient."
                yield Fault(analysis.raised_line, (), text, SWITCH)
        elif _place(entry) not in graph:
            yield _unused(entry, name, graph, cuts, analysis)


def _cuts_before(run: BackwardPass, analysis: Analysis) -> list[tuple[CutFound, set[int]]]:
    """The cuts behind what is differentiated, each with the ids of the entries that it cuts off."""
    known = closure(run.roots)
    return [
        (cut, known & closure(entry for call in cut.calls for entry in call.inputs))
        for cut in analysis.cuts
        if any(id(e) in known for e in cut.outputs)
    ]


def _unused(
    entry: Entry,
    name: str,
    graph: set[Place],
    cuts: list[tuple[CutFound, set[int]]],
    analysis: Analysis,
) -> Fault:
    kind = analysis.raised.type if analysis.raised is not None else ""
    whole = _in_graph_before(entry, graph, analysis)
    if whole is not None:
        text = (
            f"{kind}: {_who(name)} was made from {_name(whole, analysis)}{_made(entry)}, but what is differentiated "
            f"was computed from the whole tensor, not from {_who(name)}."
        )
        return Fault(analysis.raised_line, (), text, SLICED)
    for cut, before in cuts:
        if id(entry) in before:
            text = f"{kind}: the path from {_who(name)} to what is differentiated is cut on this line."
            return Fault(cut.line, (), text, kind=cut.kind)
    text = f"{kind}: what is differentiated does not depend on {_who(name)}."
    return Fault(analysis.raised_line, (), text)


def _graph(run: BackwardPass) -> set[Place]:
    """The outputs of nodes, and the leaves, that what is differentiated was computed from."""
    found = {_place(root) for root in run.roots}
    for node in run.next:
        for target, output in run.edges(node):
            if target is not None:
                found.add((~target[0], 0) if target[1] else (target[0], output))
    return found


def _place(entry: Entry) -> Place:
    """Where a tensor stands in a graph: a leaf, or an output of a node."""
    if entry.leaf is not None:
        return ~entry.leaf, 0
    return entry.sequence, entry.output_number


def _in_graph_before(entry: Entry, graph: set[Place], analysis: Analysis) -> Entry | None:
    """The nearest tensor that an unused one was made of and that is in the graph."""
    todo, seen = list(analysis.before_entry(entry)), set[int]()
    while todo:
        one = todo.pop(0)
        if id(one) in seen or not one.tracked:
            continue
        seen.add(id(one))
        if _place(one) in graph:
            return one
        todo += analysis.before_entry(one)
    return None


def _who(name: str) -> str:
    return f"`{name}`" if name else "the tensor whose gradient is asked for"


def _name(entry: Entry, analysis: Analysis) -> str:
    name = (analysis.bits.get(entry.leaf) if entry.leaf is not None else None) or entry.name
    if name:
        return f"`{name}`"
    line = entry.call.line if entry.call is not None else None
    return f"the tensor of line {line.line}" if line is not None else "another tensor"


def _made(entry: Entry, before: str = "") -> str:
    line = entry.call.line if entry.call is not None else None
    return f"{before} on line {line.line}{',' if before else ''}" if line is not None else ""


RULE = Rule(
    kind="not_in_graph",
    title="Derivative with respect to an unused tensor",
    what=WHAT,
    why="A slice, a view or a copy is a tensor of its own: what was computed from the whole does not depend on it.",
    instead="Differentiate with respect to the very tensor that the computation used.",
    severity=Severity.RAISED,
    bad="""
import torch

w, x = torch.ones(2, 3, requires_grad=True), torch.ones(8, 3)


def step():
    loss = (x @ w.T).pow(2).mean()
    slope, = torch.autograd.grad(loss, w[0], create_graph=True)  # <--
    return loss + slope.pow(2).sum()
""",
    good="""
import torch

w, x = torch.ones(2, 3, requires_grad=True), torch.ones(8, 3)


def step():
    loss = (x @ w.T).pow(2).mean()
    slope = torch.autograd.grad(loss, w, create_graph=True)[0][0]
    return loss + slope.pow(2).sum()
""",
    check=check,
)
