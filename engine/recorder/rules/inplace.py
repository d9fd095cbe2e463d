"""A change in place of what autograd still needs, or of a leaf."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..capture.frames import Line
from ..memory_edits import edited_behind_autograd
from ..rule import Fault, Rule, Severity
from ..starving import raised_as

WHAT = "a tensor that autograd still needs was changed in place"
LEAF = r"leaf [Vv]ariable.*in-?place|view of a leaf|leaf variable has been moved"
OTHERS = (
    r"detached in-?place|detach.*view|view.*detach|view.*modified in-?place|modified in-?place.*view"
    r"|unsupported operation: (some elements|more than one element)"
)


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    raised = analysis.raised
    if raised is None:
        yield from edited_behind_autograd("inplace", analysis)
    elif re.search(LEAF, raised.message, re.DOTALL):
        what = "a leaf that requires grad is changed in place while gradients are on"
        yield from raised_as(LEAF, what, analysis, instead="Change it under `with torch.no_grad():`.")
    elif "modified by an inplace operation" in raised.message:
        culprit = _last_in_place(analysis)
        more = " The last in-place change before that is on this line." if culprit else ""
        late = "Call `backward()` before `step()`, or compute the loss after the step."
        instead = late if _last_is_a_step(analysis) else ""
        yield from raised_as("modified by", WHAT, analysis, line=culprit, more=more, instead=instead)
    else:
        yield from raised_as(OTHERS, WHAT, analysis, line=_detached_in_place(analysis))


def _detached_in_place(analysis: Analysis) -> Line | None:
    """The last line that detached in place, where a backward pass refuses because of it: it raised elsewhere."""
    if analysis.raised is None or not re.search("detached in-?place", analysis.raised.message):
        return None
    return next((call.line for call in reversed(analysis.calls) if call.operation == "detach_"), None)


def _refused_at(analysis: Analysis) -> float:
    """The number of the last call before the pass that refused: it is the last one, of `backward()` or of `grad()`."""
    return max((run.number for run in (*analysis.passes, *analysis.derivatives)), default=math.inf)


def _last_is_a_step(analysis: Analysis) -> bool:
    """Whether the last change in place before the failed pass was an optimizer's."""
    until = _refused_at(analysis)
    moved = [e.number for e in analysis.events if e.kind == "optimizer" and e.number < until]
    edits = [c.number for c in analysis.calls if c.in_place and c.number < until]
    return bool(moved) and max(moved) > max(edits, default=0)


def _last_in_place(analysis: Analysis) -> Line | None:
    """The latest line that changed memory which the graph also uses."""
    until = _refused_at(analysis)
    found: list[tuple[int, Line]] = []
    for call in analysis.calls:
        entries = analysis.flow.sharing(call.storage) if call.in_place else ()
        if call.line is not None and call.number < until and any(e.tracked for e in entries):
            found.append((call.number, call.line))
    for event in analysis.events:
        if event.kind == "optimizer" and event.line is not None and event.number < until:
            found.append((event.number, event.line))
    return max(found, key=lambda item: item[0])[1] if found else None


RULE = Rule(
    kind="inplace",
    title="Changed in place",
    what=WHAT,
    why="The backward pass needs the original value; torch raises an error where it notices the change, and where it doesn't, the gradients are wrong.",
    instead="Use the out-of-place form, `h = h.add(1)` for `h.add_(1)`, or change a `.clone()`.",
    severity=Severity.RAISED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)


def step():
    hidden = net(x).sigmoid()
    out = head(hidden)
    hidden.add_(1)  # <--
    return out.pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)


def step():
    hidden = net(x).sigmoid()
    out = head(hidden)
    hidden = hidden.add(1)
    return out.pow(2).mean()
""",
    check=check,
)
