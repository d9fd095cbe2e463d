"""The report as text for a terminal: the verdict first, then what to do, then the parameters and cuts in groups."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ...text import counted, number_text
from ..record import Cut, StepData
from .groups import RankRow, Row, Told, buffer_rows, by_module, parameter_rows, rank_rows, told
from .words import STANDINGS, cut_title, place

_WIDTH = 100
_MOST = 60
"""Lines of one list that are printed; the rest is counted. `to_dict` and the tables have them all."""
_NAMES = 6
"""Names in one line."""
_COLUMN = 44
"""The widest a column but the last is made."""


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
        yield f"loss {number_text(record.loss)}, {counted(len(record.stages), 'stage')}"
    if len(record.backwards) > 1:
        yield from _wrapped(f"backpropagated: {', '.join(_losses(record))}", "")
    for finding in told(record):
        yield from _finding(finding)
    for note in record.notes if record.findings or record.raised is not None else ():
        yield from _wrapped(f"Note: {note}", "")
    yield from _table("ranks", [_rank(row) for row in rank_rows(record)])
    if record.ranks:
        yield f"\nfrom here on: rank {next(rank.rank for rank in record.ranks if rank.shown)}"
    yield from _table("parameters", [_parameters(row) for row in parameter_rows(record)])
    yield from _table("cuts", [_cut(cut, record) for cut in record.cuts])
    if record.growing:
        yield ""
        yield from _wrapped(f"graphs that grow from call to call: {', '.join(record.growing)}", "", "  ")
    if record.buffers:
        yield ""
        yield from _wrapped(f"buffers that changed: {'; '.join(buffer_rows(record.buffers))}", "", "  ")


def _losses(record: StepData) -> Iterator[str]:
    """The loss of each backward pass with its line; passes of one line together."""
    by_line: dict[str, list[str]] = {}
    for run in record.backwards:
        place = "the returned loss" if run.location is None else f"line {run.location.line}"
        by_line.setdefault(place, []).append("?" if run.loss is None else number_text(run.loss))
    for place, losses in by_line.items():
        more = f" and {len(losses) - 4} more" if len(losses) > 4 else ""
        yield f"{', '.join(losses[:4])}{more} ({place})"


def _finding(one: Told) -> Iterator[str]:
    yield ""
    finding = one.finding
    yield f"{one.number}. {finding.title} ({', '.join(filter(None, [one.severity.text, one.place]))})"
    if finding.location and finding.location.text:
        yield f"       {finding.location.text}"
    yield from _wrapped(one.text, "   ")
    if finding.suggestion:
        yield from _wrapped(f"Instead: {finding.suggestion}", "   ")


def _rank(row: RankRow) -> tuple[str, ...]:
    return row.word.mark, str(row.rank), row.told


def _parameters(row: Row) -> tuple[str, ...]:
    shape = ("x".join(map(str, row.members[0].shape)) or "scalar") if len(row.members) == 1 else ""
    held = "optimizer" if row.in_optimizer else ""
    ways = f" Via {row.ways}." if row.ways else ""
    return row.word.mark, row.title, shape, row.word.text, held, row.cause + ways


def _cut(cut: Cut, record: StepData) -> tuple[str, ...]:
    takes_a_path = not cut.intended and not cut.starved
    who = by_module(cut.partial if takes_a_path else cut.starved, record)
    shown = ", ".join(who[:_NAMES]) + (f" and {len(who) - _NAMES} more" if len(who) > _NAMES else "")
    verb = "cuts one path to" if takes_a_path else "intended:" if cut.intended else "starves"
    fate = f"{verb} {shown}" if who else "starves no parameter"
    if cut.why:
        fate += f": {cut.why}"
    word = STANDINGS["meant" if cut.intended else "none"]
    return word.mark, cut_title(cut), place(cut.location, record.file) or "?", fate


def _table(title: str, rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows in columns, the last one wrapped under itself."""
    if not rows:
        return
    yield f"\n{title}"
    widths = [min(_COLUMN, max(len(row[i]) for row in rows)) for i in range(len(rows[0]) - 1)]
    for row in rows[:_MOST]:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=True) if width]
        head = "  " + "  ".join(cells)
        under = min(len(head) + 2, _WIDTH // 2)
        yield from _wrapped(row[-1], head + "  ", " " * under) or [head.rstrip()]
    if len(rows) > _MOST:
        yield f"  and {len(rows) - _MOST} more"


def _wrapped(text: str, first: str, then: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=first if then is None else then,
        break_long_words=False,
        break_on_hyphens=False,
    )
