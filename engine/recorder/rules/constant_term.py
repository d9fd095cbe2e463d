"""A term that is added to the loss, was computed from parameters, and has no path back to them."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..analysis.draws import is_scored
from ..capture.data_flow import Entry
from ..capture.summands import summands
from ..rule import Fault, Rule, Severity

WHAT = "a term of the loss is a constant"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    for root in dict.fromkeys(root for run in analysis.passes for root in run.roots if root.tracked):
        terms = list(summands(root))
        moving = {id(term) for term in terms if term.tracked}
        constant = [term for term in terms if term.value and not term.tracked]
        if any(_copies(term, moving) for term in constant):
            continue  # a surrogate: its value and its gradient are put together on purpose
        yield from _lost_by(constant, analysis)


def _copies(term: Entry, moving: set[int]) -> bool:
    """Whether a constant term is another term of the sum without its history, as in `s - s.detach()`."""
    call = term.call
    while (
        call is not None and not call.kind and len(call.inputs) == 1
    ):  # `.to()`, `.clone()` of what was cut off
        term = call.inputs[0]
        call = term.call
    if call is None or not call.kind:
        return False
    return any(id(one) in moving for came in call.inputs for one in (came, *summands(came)))


def _lost_by(terms: list[Entry], analysis: Analysis) -> Iterator[Fault]:
    """The cuts behind each of the constant terms, what several have in common looked at once.

    Behind a cut that is a fault itself nothing more is told: who mends that one has mended the term.
    """
    ends: dict[int, list[int]] = {}
    for number, cut in enumerate(analysis.cuts):
        if cut.intended and cut.kind != "create_graph" and not is_scored(cut, analysis):
            for entry in cut.outputs:
                ends.setdefault(id(entry), []).append(number)
    seen, told = {id(e) for cut in analysis.cuts if not cut.intended for e in cut.outputs}, set[int]()
    for term in terms:
        todo, found = [term], set[int]()
        while todo:
            entry = todo.pop()
            if id(entry) not in seen:
                seen.add(id(entry))
                found.update(ends.get(id(entry), ()))
                todo += analysis.before_entry(entry)
        for number in sorted(found - told):
            cut = analysis.cuts[number]
            names = analysis.trainable_among(analysis.named(cut.lost))
            if names:
                text = (
                    f"A term of the loss is a constant and trains nothing: {listed(names)} "
                    f"{verb(names, 'loses', 'lose')} this path."
                )
                yield Fault(cut.line, tuple(names), text, kind=cut.kind)
        told |= found


RULE = Rule(
    kind="detach",
    title="Constant term of the loss",
    what=WHAT,
    why="The term is added to the loss, but nothing learns from it.",
    instead="Remove what cuts the term off (a `detach`, a `no_grad` block), or take the term out of the loss and only log it.",
    severity=Severity.WRONG,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    first = net(x).detach().pow(2).mean()  # <--
    return head(net(x)).pow(2).mean() + first
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    first = net(x).pow(2).mean()
    return head(net(x)).pow(2).mean() + first
""",
    check=check,
)
