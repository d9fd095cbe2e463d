"""The words and marks of a report, the same in the terminal, in a notebook and on the page."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..record import Cut, Finding, GradientState, Location, ParameterRecord, RankEnd


class Word(NamedTuple):
    """How something is shown: a character for a terminal, a sign for a page, and the words beside either."""

    mark: str
    sign: str
    text: str

    @property
    def signed(self) -> str:
        """The words with their sign."""
        return f"{self.sign} {self.text}"


Standing = Literal["none", "zero", "not_retained", "gradient", "meant", "frozen", "same"]

STANDINGS: dict[Standing, Word] = {
    "none": Word("x", "✕", "NO gradient"),
    "zero": Word("0", "0", "all zeros"),
    "not_retained": Word("-", "·", "not retained"),
    "gradient": Word("+", "✔", "gradient"),
    "meant": Word("|", "◇", "none, intended"),
    "frozen": Word("*", "❄", "frozen"),
    "same": Word("=", "=", "same tensor"),
}
"""How parameters stand, in the order of a table: what starves comes first, what is as it is to be comes last."""

BACK: dict[GradientState, Word] = {
    "value": Word("+", "←", "gradient"),
    "zero": Word("0", "←", "zeros"),
    "none": Word("x", "✕", "no gradient"),
}
"""What came back to a stage."""

RANK_ENDS: dict[RankEnd, Word] = {
    "recorded": Word("+", "✔", "recorded"),
    "raised": Word("x", "✕", "raised"),
    "ended": Word("-", "·", "ended"),
    "waits": Word("x", "✕", "waits"),
    "silent": Word("?", "?", "no answer"),
}
"""How a rank of a distributed job came to its end."""

FAULT = Word("x", "✕", "fault")
UNUSED = Word("o", "○", "unused")


def standing(parameter: ParameterRecord) -> Standing:
    """How a parameter stands."""
    if parameter.same_as:
        return "same"
    if parameter.state in ("none", "zero"):
        if parameter.meant:
            return "meant"
        if not parameter.requires_grad:
            return "frozen"
    return parameter.state


def severity(finding: Finding) -> Word:
    """How a finding is called: a fault, or merely unused."""
    return UNUSED if finding.severity == UNUSED.text else FAULT


def place(location: Location | None, file: str) -> str:
    """A line of the traced file by its number, one of another file with that file's name."""
    if location is None:
        return ""
    if location.file == file:
        return f"line {location.line}"
    if location.in_cell:
        return str(location)
    return f"{location.file.replace(chr(92), '/').rpartition('/')[2]}:{location.line}"


def cut_title(cut: Cut) -> str:
    """A cut's title; one that is only possible is called so."""
    return f"{cut.title} (possible)" if cut.possible else cut.title
