"""Parameters of which nothing goes into what is differentiated."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..capture.frames import Line
from ..rule import Fault, Rule, Severity
from ..starving import without_gradient

WHAT = "the loss does not depend on it"
LEFT_OUT = (
    "If only some steps skip it (layer drop, a branch not taken), look at several calls (`--calls 5`) or at a later "
    "step (`run --step 6`). "
    "Otherwise add its result to the loss, or remove it from the optimizer."
)


def check(analysis: Analysis) -> Iterator[Fault]:
    """Nothing at all in the loss, a node that passes nothing on, and a parameter that is left out."""
    yield from _nothing_went_in(analysis)
    yield from without_gradient("not_in_graph", analysis)
    yield from _left_out(analysis)


def _nothing_went_in(analysis: Analysis) -> Iterator[Fault]:
    """`backward()` refused, and neither a cut, a frozen parameter nor a late switch explains it."""
    told = analysis.explained or analysis.frozen_in_loss or analysis.raised_in
    if not analysis.cannot_train or told:
        return
    if any(switch.raised for switch in analysis.late_switches):
        return
    text = "What `backward()` was called on does not depend on anything that requires a gradient."
    yield Fault(analysis.raised_line, (), text, severity=Severity.REFUSED)


def _left_out(analysis: Analysis) -> Iterator[Fault]:
    """Held by an optimizer of this step, with a fed neighbour, and nothing of it goes into the loss."""
    if analysis.raised is not None or not analysis.passes or not analysis.working_optimizers:
        return
    lost = 0
    for call in analysis.calls:
        if call.kind and any(id(e) in analysis.perhaps for e in call.outputs):
            for entry in call.inputs:
                lost |= entry.value
    switched = {id(event.tensor) for event in analysis.events if event.kind == "unfreeze" and event.in_step}
    blamed = {*analysis.wiped, *analysis.named(lost)}
    blamed |= {n for n, p in analysis.names.parameters.items() if id(p) in switched}
    for optimizer in analysis.working_optimizers.values():
        names = analysis.held_by(optimizer)
        if not any(analysis.states[n] == "gradient" for n in names):
            continue
        idle = [
            n for n in analysis.trainable_among(names)
            if analysis.states[n] == "none" and n not in blamed and id(analysis.tensor(n)) not in analysis.fed
        ]  # fmt: skip
        if not idle:
            continue
        line = _last_use(idle, analysis)
        it = verb(idle, "it", "them")
        what = f"the loss does not depend on {it}" if line is not None else f"nothing in this step uses {it}"
        text = f"{listed(idle)} {verb(idle, 'gets', 'get')} no gradient: {what}."
        yield Fault(line, tuple(idle), text, "" if line is not None else LEFT_OUT, Severity.UNUSED, len(idle))


def _last_use(names: list[str], analysis: Analysis) -> Line | None:
    """The last line that used one of these parameters."""
    bits = {analysis.bit(analysis.tensor(n)) for n in names}
    calls = [c for c in analysis.calls if c.in_step and any(e.leaf in bits for e in c.inputs)]
    return calls[-1].line if calls else None


RULE = Rule(
    kind="not_in_graph",
    title="Not part of the loss",
    what=WHAT,
    why="What the loss does not depend on gets no gradient, however often it is computed.",
    instead="Add its result to the loss, `total = total + penalty`, or remove it from the optimizer.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, extra, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *extra.parameters()], lr=0.1)


def step():
    total = net(x).pow(2).mean() + 0 * x.sum()
    penalty = extra(x).pow(2).mean()  # <--
    return total
""",
    good="""
import torch
from torch import nn

net, extra, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *extra.parameters()], lr=0.1)


def step():
    total = net(x).pow(2).mean() + 0 * x.sum()
    total = total + extra(x).pow(2).mean()
    return total
""",
    check=check,
)
