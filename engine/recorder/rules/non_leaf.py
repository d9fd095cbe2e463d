"""A `.grad` that is looked for in a tensor which is no leaf."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..analysis.leaves import updated_by_its_gradient
from ..rule import Fault, Rule, Severity
from ..starving import raised_as

WHAT = "this tensor is computed, so its `.grad` is not kept"
REBOUND = (
    "Update the leaf in place, `with torch.no_grad(): w -= lr * w.grad`, and clear `w.grad`; or make the result a new "
    "leaf: `(w - lr * w.grad).detach().requires_grad_()`."
)
REFUSED = r"only change requires_grad flags of leaf"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    told = {id(one.tensor) for one in analysis.computed if one.state == "none"}
    reads = [e for e in analysis.events if e.kind == "grad_of_non_leaf" and id(e.tensor) not in told]
    event = reads[-1] if reads else None
    made = (
        event.entry.call.line if event is not None and event.entry is not None and event.entry.call else None
    )
    update = event is not None and event.entry is not None and updated_by_its_gradient(event.entry, analysis)
    advice = REBOUND if update else ""
    if analysis.raised is not None:
        more = " It was computed on this line, and its `.grad` is read later." if made is not None else ""
        pattern = REFUSED if event is None else f"{REFUSED}|NoneType"
        yield from raised_as(pattern, WHAT, analysis, line=made, more=more, instead=advice)
        return
    for one in analysis.computed:
        if one.state == "none" and not one.lost:
            instead = REBOUND if one.update else ""
            yield Fault(one.line, (one.name,), f"`{one.name}` has no `.grad`: {one.reason}", instead)
    if event is not None:
        text = "The `.grad` of a tensor made here is read and is None: the gradient of a computed tensor is not kept."
        yield Fault(made or event.line, (), text, advice)


RULE = Rule(
    kind="non_leaf",
    title="Gradient of a computed tensor",
    what=WHAT,
    why="Autograd keeps the gradients of leaves only; the `.grad` of any other tensor is None.",
    instead="Call `.retain_grad()` on it before `backward()`, or make it a leaf with `.detach().requires_grad_()`.",
    severity=Severity.MISSED,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)


def step():
    hidden = net(x)  # <--
    loss = hidden.pow(2).mean()
    loss.backward()
    print(hidden.grad.norm())
    return loss.detach()
""",
    good="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)


def step():
    hidden = net(x); hidden.retain_grad()
    loss = hidden.pow(2).mean()
    loss.backward()
    print(hidden.grad.norm())
    return loss.detach()
""",
    check=check,
)
