"""The report as one HTML file to look at and to send on: gradient coverage over the reader's own source.

The file needs nothing from outside and may ask for nothing: its policy names the one style and the one script by their
hashes. What is shown in the source is shared with the app's page, which puts `source_html` into a component of its own.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...text import listed, verb
from ..record import Cut, StepData
from .coverage import KINDS, MEANING, SHORT, Coverage, CoveredFile, CoveredLine, Kind, coverage_of, spans
from .groups import Row, by_module, parameter_rows
from .html import parts_of, templates
from .places import in_repository
from .source_lines import Piece, colored
from .words import Standing, Word, cut_title, standing

if TYPE_CHECKING:
    from markupsafe import Markup

_HERE = Path(__file__).with_name("templates")
_AROUND = 3
"""Lines shown around those of the step; what lies further away is folded."""
_WHOLE = 40
"""A file as short as this is never folded."""
_OPEN = 6
"""Of more files than that only those with a fault, and the traced one, are open at first."""
_NAMES = 6
_BAD: tuple[Kind, ...] = ("cut", "fault", "lost", "zeros")


class Note(NamedTuple):
    """What stands beside a line: a finding, or a cut that is meant."""

    word: Word
    kind: Kind
    title: str
    text: str
    instead: str


class LineView(NamedTuple):
    """A line as it is drawn."""

    key: str
    line: CoveredLine
    sign: str
    short: str
    pieces: tuple[Piece, ...]
    notes: tuple[Note, ...]


class Stretch(NamedTuple):
    """Lines that are shown, or folded, together."""

    folded: bool
    title: str
    lines: tuple[LineView, ...]


@dataclass(frozen=True)
class FileView:
    """A file as it is drawn."""

    title: str
    open: bool
    whole: bool
    counts: tuple[tuple[Kind, str, str], ...]
    """By kind of line: its sign, and how many there are."""
    stretches: tuple[Stretch, ...]


class RowView(NamedTuple):
    """A group of parameters, and which bits its members are: "0-3 7"."""

    row: Row
    bits: str
    members: tuple[tuple[str, str, int], ...]
    """Name, shape and number of each."""
    style: Standing


def to_page(record: StepData) -> str:
    """The whole file."""
    style, script = asset("coverage.css"), f"{asset('coverage.js')}\ngradientCoverage(document);\n"
    coverage = coverage_of(record)
    return (
        templates()
        .get_template("coverage.html")
        .render(
            **parts_of(record),
            **view_of(record, coverage),
            notes=record.notes if not record.ok else (),
            style=_safe(style),
            script=_safe(script),
            style_hash=_hash(style),
            script_hash=_hash(script),
        )
    )


def source_html(record: StepData) -> str:
    """The annotated source and the parameters alone, as a fragment; `coverage.css` and `coverage.js` go with it."""
    view = view_of(record, coverage_of(record))
    return templates().get_template("coverage_source.html").render(record=record, **view)


def view_of(record: StepData, coverage: Coverage) -> dict[str, object]:
    """What the templates show of it."""
    files = [
        _file(number, file, coverage, record, open_=len(coverage.files) <= _OPEN or number == 0 or bool(file.count(*_BAD)))
        for number, file in enumerate(coverage.files)
    ]  # fmt: skip
    number = {name: i for i, name in enumerate(coverage.parameters)}
    rows = [
        RowView(
            row, _spans_text(_bits(number[one.name] for one in row.members)),
            tuple((one.name, " x ".join(map(str, one.shape)) or "scalar", number[one.name]) for one in row.members),
            standing(row.members[0]),
        )
        for row in parameter_rows(record)
    ]  # fmt: skip
    met = [(kind, word, coverage.count(kind)) for kind, word in KINDS.items() if kind != "outside"]
    return {
        "files": files,
        "rows": rows,
        "legend": [(kind, word, count, MEANING[kind]) for kind, word, count in met if count],
        "outside": MEANING["outside"],
        "data": _safe(_json(coverage)),
    }


@cache
def asset(name: str) -> str:
    """A file of the page's."""
    return (_HERE / name).read_text(encoding="utf-8")


def _file(number: int, file: CoveredFile, coverage: Coverage, record: StepData, *, open_: bool) -> FileView:
    pieces = colored({line.number: line.text for line in file.lines})
    views = [
        LineView(
            f"f{number}-{line.number}", line, KINDS[line.kind].sign, SHORT[line.kind], pieces[line.number],
            tuple(_notes(line, coverage, record)),
        )
        for line in file.lines
    ]  # fmt: skip
    counts = tuple(
        (kind, word.sign, f"{count} {SHORT[kind]}")
        for kind, word in KINDS.items()
        if kind != "outside" and (count := file.count(kind))
    )
    return FileView(
        in_repository(file.file) or file.file, open_, file.whole, counts, tuple(_stretches(views))
    )


def _stretches(views: Sequence[LineView]) -> Iterator[Stretch]:
    """The lines in order, those far from every line of the step folded."""
    marked = [view.line.number for view in views if view.line.marked]
    near = {n for at in marked for n in range(at - _AROUND, at + _AROUND + 1)}
    if len(views) <= _WHOLE:
        near = {view.line.number for view in views}
    held: list[LineView] = []
    for view, after in zip(views, [*views[1:], None], strict=True):
        held.append(view)
        shown = view.line.number in near
        if after is None or (after.line.number in near) != shown:
            first, last = held[0].line.number, held[-1].line.number
            folded = not shown and last - first > 1
            title = f"lines {first} to {last}: not part of the step"
            yield Stretch(folded, title, tuple(held))
            held = []


def _notes(line: CoveredLine, coverage: Coverage, record: StepData) -> Iterator[Note]:
    told = set()
    for number in line.findings:
        finding = record.findings[number - 1]
        told.add(finding.kind)
        kind: Kind = "cut" if line.kind == "cut" else "fault"
        yield Note(KINDS[kind], kind, f"{number}. {finding.title}", finding.text, finding.suggestion)
    for cut in dict.fromkeys(line.cuts):
        if cut.kind not in told:
            kind = "meant" if cut.intended else "cut"
            yield Note(KINDS[kind], kind, cut_title(cut), _of_cut(cut, record), "")


def _of_cut(cut: Cut, record: StepData) -> str:
    whom, part = (by_module(names, record) for names in (cut.starved, cut.partial))
    said = []
    if cut.intended:
        said.append(f"Apparently on purpose{f': {cut.why}' if cut.why else ''}.")
    if whom:
        said.append(f"No gradient reaches {listed(whom, _NAMES)} through this line.")
    if part:
        said.append(
            f"{listed(part, _NAMES)} {verb(cut.partial, 'loses', 'lose')} part of the gradient here and {verb(cut.partial, 'gets', 'get')} the rest through other lines."
        )
    return " ".join(said)


def _json(coverage: Coverage) -> str:
    """What the script needs: by line, whom it feeds and whom it starves, each set of parameters written once."""
    sets: dict[int, int] = {0: 0}
    lines = {
        f"f{number}-{line.number}": [sets.setdefault(bits, len(sets)) for bits in (line.feeds, line.starves)]
        for number, file in enumerate(coverage.files)
        for line in file.lines
        if line.marked and not line.continues
    }
    held = {"names": coverage.parameters, "sets": [spans(bits) for bits in sets], "lines": lines}
    return json.dumps(held, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in set(numbers))


def _spans_text(bits: int) -> str:
    return " ".join(f"{first}-{last}" for first, last in spans(bits))


def _hash(text: str) -> str:
    """As a content security policy names a script or style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _safe(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)
