"""A step's record as users get it: the data, which prints as text, shows in a notebook and converts to JSON."""

from __future__ import annotations

from dataclasses import dataclass

from .record import StepData
from .render.html import to_html
from .render.json import to_dict, to_json
from .render.text import to_text


@dataclass(frozen=True, repr=False)
class StepRecord(StepData):
    """One recorded step, forward and backward, and its diagnosis.

    Prints as text, shows as HTML in a notebook, and converts to plain data with `to_dict` and `to_json`.
    """

    def to_dict(self) -> dict[str, object]:
        """The report as plain data: the contract of `--json`."""
        return to_dict(self)

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON text."""
        return to_json(self, indent)

    def __str__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)
