"""The verdict: one sentence with the file, the line and the line's text."""

from __future__ import annotations

from ..text import first_line
from .record import Cut, Finding, Location, Raised

_FED = "every parameter that should learn gets its gradient."
_FED_PARTLY = "every parameter that should learn gets a gradient."
FINE = f"Nothing is wrong here: {_FED}"


def verdict_of(
    findings: tuple[Finding, ...],
    raised: Raised | None,
    cuts: tuple[Cut, ...],
    notes: tuple[str, ...] = (),
    *,
    known: bool = True,
) -> str:
    """What is wrong and where, or that nothing is; not so where it is not `known` who should learn."""
    if findings:
        worst = findings[0]
        more = f" ({len(findings) - 1} more below)" if len(findings) > 1 else ""
        call = f" The {raised.where} raised it." if raised is not None and raised.call is not None else ""
        return f"{_at(worst.location)}{first_line(worst.text)}{call}{more}"
    if raised is not None:
        first = first_line(raised.message)
        return (
            f"{_at(raised.location)}the {raised.where} raised {raised.type}{f': {first}' if first else '.'}"
        )
    meant = sum(cut.intended for cut in cuts)
    partly = sum(cut.intended and bool(cut.partial) for cut in cuts)
    said = [_fine(known, bool(notes), bool(partly)), *notes]
    if meant:
        paths = f" ({partly} of them on only one of a parameter's paths)" if partly else ""
        said.append(
            f"{meant} cut{'s' if meant > 1 else ''} on the way to the loss{paths}, apparently intended."
        )
    return " ".join(said)


def _fine(known: bool, noted: bool, partly: bool) -> str:
    """The first sentence where nothing is found; it claims less where a path that is cut may have been wanted."""
    if not known:
        return "Nothing is known to be wrong here."
    if partly:
        return _FED_PARTLY.capitalize() if noted else f"Nothing is known to be wrong here: {_FED_PARTLY}"
    return f"No gradient is lost here: {_FED}" if noted else FINE


def _at(location: Location | None) -> str:
    if location is None:
        return ""
    return f"{location}, `{location.text}`: " if location.text else f"{location}: "
