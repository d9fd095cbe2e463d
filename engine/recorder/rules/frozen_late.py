"""A parameter that is frozen after the forward pass used it, or unfrozen too late for it."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..capture.frames import Line
from ..capture.tape import Event
from ..rule import Fault, Rule, Severity

WHAT = "`requires_grad` is switched after the forward pass has used it"


def check(analysis: Analysis) -> Iterator[Fault]:
    """One fault for each line that switches too late, with all parameters that it comes too late for."""
    found: dict[tuple[Line | None, str], list[str]] = {}
    for name, tensor in analysis.once.items():
        if analysis.states[name] != "none" or name in analysis.constant:
            continue
        for event in _too_late(tensor, analysis):
            found.setdefault((event.line, event.kind), []).append(name)
    for (line, kind), names in found.items():
        if kind == "freeze":
            text = f"{listed(names)} {verb(names, 'is', 'are')} frozen here, after the forward has used it and before `backward()`."
        else:
            text = f"{listed(names)} {verb(names, 'requires', 'require')} a gradient from here on, but the forward has used {verb(names, 'it', 'them')} before."
        yield Fault(line, tuple(names), text, weight=len(names))


def _too_late(tensor: Tensor, analysis: Analysis) -> Iterator[Event]:
    """The switches of a parameter that come after the uses which they should have been for."""
    frozen = False
    for event in analysis.events_of(tensor):
        if not event.in_step or event.kind not in ("freeze", "unfreeze"):
            continue
        late = [tracked for number, tracked in _uses(tensor, analysis) if number < event.number]
        frozen_after = event.kind == "freeze" and any(late)
        unfrozen_after = event.kind == "unfreeze" and late and not any(late) and not frozen
        if frozen_after or unfrozen_after:
            yield event
        frozen = frozen or event.kind == "freeze"


def _uses(tensor: Tensor, analysis: Analysis) -> list[tuple[int, int]]:
    """(number of the call, the leaves autograd knew) of each use of a leaf that went into the loss."""
    bit = analysis.bit(tensor)
    return [
        (call.number, entry.tracked)
        for call in analysis.calls
        if call.in_step
        for entry in call.inputs
        if entry.leaf == bit and any(id(o) in analysis.into_loss for o in call.outputs)
    ]


RULE = Rule(
    kind="frozen",
    title="Frozen or unfrozen too late",
    what=WHAT,
    why="Autograd looks at `requires_grad` as the forward pass runs; a switch after that comes too late for this step.",
    instead="Switch `requires_grad` before the forward pass.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)


def step():
    loss = head(net(x)).pow(2).mean()
    net.requires_grad_(False)  # <--
    return loss
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)


def step():
    loss = head(net(x)).pow(2).mean()
    net.requires_grad_(True)
    return loss
""",
    check=check,
)
