"""A finding on its way to the report: with a weight, by which the worst comes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .capture.frames import Line
from .suggestions import SUGGEST


@dataclass(frozen=True, slots=True)
class Warned:
    """Something worth a warning. `weight` orders: 1000 what raised, 100 and more what starves, below that the rest."""

    weight: float
    kind: str
    line: Line | None
    names: tuple[str, ...]
    text: str
    suggestion: str = ""


def warned(
    weight: float, kind: str, line: Line | None, names: Sequence[str], text: str, suggestion: str = ""
) -> Warned:
    """A finding with the suggestion of its kind, unless it has one of its own."""
    return Warned(weight, kind, line, tuple(names), text, suggestion or SUGGEST.get(kind, ""))
