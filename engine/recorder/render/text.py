"""The report as text for a terminal: the verdict first, then what to do, then every parameter and cut."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ...text import number_text
from ..record import Cut, Finding, ParameterRecord, StepData

_WIDTH = 100
_MARK = {"gradient": "+", "zero": "0", "none": "x", "not_retained": "-"}
_STATE = {
    "gradient": "gradient",
    "zero": "all zeros",
    "none": "NO gradient",
    "not_retained": "not retained",
}
_MOST = 60
"""Lines of one list that are printed; the rest is counted. `to_dict` and the tables have them all."""


def to_text(record: StepData) -> str:
    """The whole report, at most 100 characters wide where words allow."""
    return "\n".join(_lines(record)).rstrip() + "\n"


def _lines(record: StepData) -> Iterator[str]:
    yield from _wrapped(record.verdict, "")
    yield ""
    if record.raised is not None:
        where = f" at {record.raised.location}" if record.raised.location else ""
        yield from _wrapped(
            f"{record.raised.where} raised {record.raised.type}{where}: {record.raised.message}", "  "
        )
        yield ""
    if record.loss is not None:
        yield f"loss {number_text(record.loss)}, {len(record.stages)} stages"
    if len(record.backwards) > 1:
        yield from _wrapped(f"backpropagated: {', '.join(_losses(record))}", "")
    for number, finding in enumerate(record.findings, 1):
        yield from _finding(number, finding)
    for note in record.notes if record.findings or record.raised is not None else ():
        yield from _wrapped(f"Note: {note}", "")
    yield from _table("parameters", [_parameter(p) for p in record.parameters])
    yield from _table("cuts", [_cut(cut) for cut in record.cuts])
    if record.growing:
        yield f"\ngrowing from call to call: {', '.join(record.growing)}"
    if record.buffers:
        yield f"\nbuffers that moved: {', '.join(b.name for b in record.buffers[:_MOST])}"


def _losses(record: StepData) -> Iterator[str]:
    """The loss of each backward pass with its line; passes of one line together."""
    by_line: dict[str, list[str]] = {}
    for run in record.backwards:
        place = "the loss that was returned" if run.location is None else f"line {run.location.line}"
        by_line.setdefault(place, []).append("?" if run.loss is None else number_text(run.loss))
    for place, losses in by_line.items():
        more = f" and {len(losses) - 4} more" if len(losses) > 4 else ""
        yield f"{', '.join(losses[:4])}{more} ({place})"


def _finding(number: int, finding: Finding) -> Iterator[str]:
    yield ""
    place = f"  {finding.location}" if finding.location else ""
    yield f"{number}. {finding.kind}{place}"
    if finding.location and finding.location.text:
        yield f"       {finding.location.text}"
    yield from _wrapped(finding.text, "   ")
    if finding.suggestion:
        yield from _wrapped(f"Instead: {finding.suggestion}", "   ")


def _parameter(p: ParameterRecord) -> tuple[str, ...]:
    line = f" ({p.location})" if p.location is not None else ""
    lines = "; ".join(" > ".join(f"line {at.line}" for at in path.lines) for path in p.paths[:3])
    ways = f" By {lines}." if lines else ""
    held = "optimizer" if p.in_optimizer else ""
    return (
        _MARK[p.state],
        p.name,
        "x".join(map(str, p.shape)) or "scalar",
        _STATE[p.state],
        held,
        p.reason + line + ways,
    )


def _cut(cut: Cut) -> tuple[str, ...]:
    place = str(cut.location) if cut.location is not None else "?"
    if cut.starved:
        who = ("meant: " if cut.intended else "starves ") + ", ".join(cut.starved[:6])
        who += f" and {len(cut.starved) - 6} more" if len(cut.starved) > 6 else ""
    else:
        who = "starves nobody"
    if cut.possible:
        who += " (possibly)"
    if cut.why:
        who += f": {cut.why}"
    return "|" if cut.intended else "x", cut.kind, place, who


def _table(title: str, rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if not rows:
        return
    yield f"\n{title}"
    widths = [min(44, max(len(row[i]) for row in rows)) for i in range(len(rows[0]) - 1)]
    for row in rows[:_MOST]:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=True)]
        yield ("  " + "  ".join([*cells, row[-1]])).rstrip()
    if len(rows) > _MOST:
        yield f"  and {len(rows) - _MOST} more"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
