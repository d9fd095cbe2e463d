"""Faults that many rules share: a cut that starves a parameter, and an exception that a rule knows by its message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ..text import listed, verb
from .analysis.analysis import Analysis
from .analysis.cuts import CutFound
from .capture.frames import Line, Passed
from .rule import Fault, Severity


def starved_by(
    kind: str,
    what: str,
    analysis: Analysis,
    instead: str = "",
    which: Callable[[CutFound], bool] = lambda cut: True,
) -> Iterator[Fault]:
    """A fault for each cut of a kind that takes the gradient from parameters which are to be trained."""
    for cut in analysis.cuts:
        if cut.kind != kind or cut.intended:
            continue
        wanted = analysis.trainable_among(cut.starved)
        if not wanted or not which(cut):
            continue
        perhaps = "possibly because " if cut.possible else ""
        after = " (the link through plain numbers can't be proven)" if cut.possible else ""
        text = f"{listed(wanted)} {verb(wanted, 'gets', 'get')} no gradient: {perhaps}{what}{after}."
        severity = Severity.STARVED
        if analysis.cannot_train:
            text += " Nothing in the loss requires a gradient, so `backward()` raises an error."
            severity = Severity.REFUSED
        held = sum(map(analysis.is_held, wanted))
        # Of two cuts that starve the same, the reader's own comes first.
        in_a_package = all(call.passed & Passed.INSTALLED for call in cut.calls)
        weight = len(wanted) + 10 * held - (50 if cut.possible else 0) - in_a_package
        yield Fault(cut.line, tuple(wanted), text, instead, severity, weight)


def without_gradient(kind: str, analysis: Analysis) -> Iterator[Fault]:
    """A fault for each operation of a kind that made a wanted gradient zeros, or sent none on."""
    for zero in analysis.zeros:
        if zero.kind != kind or zero.harmless:
            continue
        names = analysis.trainable_among(zero.starved)
        if analysis.held:
            names = [n for n in names if analysis.is_held(n)]
        if zero.cause is None or not zero.cause.after:
            names = [n for n in names if id(analysis.tensor(n)) not in analysis.fed]
        if not names:
            continue
        nothing = all(analysis.states[n] == "none" for n in names)
        who = f"{listed(names)} {verb(names, 'gets', 'get')} {'no gradient' if nothing else 'a gradient of zeros'}"
        instead = zero.cause.advice if zero.cause is not None else ""
        yield Fault(zero.line, tuple(names), f"{who}: {zero.why(nothing)}.", instead, weight=len(names))


def raised_as(
    pattern: str,
    what: str,
    analysis: Analysis,
    *,
    line: Line | None = None,
    more: str = "",
    names: Sequence[str] = (),
    instead: str = "",
) -> Iterator[Fault]:
    """A fault where what was raised says `pattern`, at `line`, or else where it was raised."""
    raised = analysis.raised
    if raised is None or not re.search(pattern, raised.message, re.DOTALL):
        return
    held = f" Held by {listed(names)}." if names else ""
    text = f"{raised.type}: {what}.{more}{held}"
    yield Fault(line or analysis.raised_line, tuple(names), text, instead, Severity.RAISED)
