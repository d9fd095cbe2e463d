"""What a rule is: one kind of finding, with all that is to be said about it in one file of `rules/`.

A rule reads the frozen analysis of a step and yields a `Fault` for each place where it finds something. Everything
else about it is text: what happens, why it hurts, what to write instead, and a small step that has the fault beside
one that doesn't. From the same file come the report, `detach-lab explain`, the page and the reference in the docs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum

from .analysis.analysis import Analysis
from .capture.frames import Line

MARK = "  # <--"
"""Ends the line of an example that its rule is to name."""


class Severity(IntEnum):
    """How bad a finding is. The worst comes first in a report, within one severity the one that starves more."""

    UNUSED = 1
    """Merely unused: worth a look, but not a fault in what runs."""
    WASTE = 2
    """Memory or statistics that are kept or changed by mistake."""
    MISSED = 3
    """A gradient that is looked for where none is kept."""
    WRONG = 4
    """Gradients that exist but are not those of the loss."""
    STILL = 5
    """A gradient arrives, but nothing is updated by it."""
    STARVED = 6
    """No gradient, or zeros only, where one is wanted."""
    UNMEANT = 7
    """A gradient where the step says that there must be none."""
    NOT_FINITE = 8
    """The loss or a gradient is nan or infinite."""
    REFUSED = 9
    """`backward()` raised: nothing in the loss requires a gradient."""
    RAISED = 10
    """The step raised, or there is nothing to diagnose."""

    @property
    def word(self) -> str:
        """How a report calls it: a fault, or merely unused."""
        return "unused" if self is Severity.UNUSED else "fault"


@dataclass(frozen=True, slots=True)
class Fault:
    """One place where a rule finds something."""

    line: Line | None
    names: tuple[str, ...]
    text: str
    instead: str = ""
    """What to write instead, where it is not the rule's usual advice."""
    severity: Severity | None = None
    """Where it is not the rule's usual one."""
    weight: int = 0
    """Orders faults of one severity: how many starve by it, those that an optimizer holds counted tenfold."""
    kind: str = ""
    """Where one rule finds faults of several kinds."""


@dataclass(frozen=True)
class Rule:
    """One kind of finding. Its name is that of its file."""

    kind: str
    """The identifier that tools read. Several rules can find the same kind of thing in different ways."""
    title: str
    """What a reader sees instead of the identifier: "Detached tensor"."""
    what: str
    """What happens, as half a sentence that can follow a colon."""
    why: str
    """Why that hurts: one or two sentences."""
    instead: str
    """What to write instead, and when."""
    severity: Severity
    bad: str
    """A whole small file with a `step()` that has the fault, on the line that ends with `MARK`."""
    good: str
    """The same file without the fault."""
    check: Callable[[Analysis], Iterable[Fault]]
    calls: int = 1
    """How often the examples' step must run for the fault to show."""
    constant: tuple[str, ...] = ()
    """What the examples' step says is to stay constant (`expect_constant`)."""
    name: str = ""
    """Set as the rule is found: the name of its file."""
