"""Gradient coverage: the reader's own source, every line of the step marked by what its gradient did there.

As test coverage marks the lines that ran, this marks the lines through which the gradient came back, the line that
cuts it, and those from which it never returned. A line of a loop ran many times: it is marked by the worst of them.
Which parameters a line feeds is read off the recorded calls: a parameter goes on through every tracked result until a
call whose result has no history, and is fed by a call that something came back to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ...text import counted
from ..record import Cut, Finding, Location, Stage, StepData
from .source_lines import SourceText, read_source
from .words import Word, standing

Kind = Literal["cut", "fault", "lost", "zeros", "meant", "starts", "passes", "values", "outside"]

KINDS: dict[Kind, Word] = {
    "cut": Word("x", "✂", "is cut here"),
    "fault": Word("!", "!", "a finding is here"),
    "lost": Word("^", "✕", "does not pass back from here"),
    "zeros": Word("0", "0", "is all zeros here"),
    "meant": Word("|", "◇", "stops here on purpose"),
    "starts": Word("*", "●", "starts here"),
    "passes": Word("+", "←", "passes"),
    "values": Word("-", "→", "values only"),
    "outside": Word(" ", "", "not part of the step"),
}
"""What happens to the gradient at a line, the worst first: a line is marked with the first that applies."""

SHORT: dict[Kind, str] = {
    "cut": "cut",
    "fault": "finding",
    "lost": "lost",
    "zeros": "zeros",
    "meant": "intended",
    "starts": "starts",
    "passes": "passes",
    "values": "values",
    "outside": "",
}
"""The same in one word, for a narrow screen."""

MEANING: dict[Kind, str] = {
    "cut": "The gradient is cut here, and a parameter that should learn gets none because of it.",
    "fault": "The report has a finding on this line.",
    "lost": "The line ran forward, but no gradient passes back from it to the starved parameters.",
    "zeros": "The gradient that arrives here is all zeros.",
    "meant": "The gradient stops here, apparently on purpose.",
    "starts": "A backward pass starts here.",
    "passes": "The gradient passes back through this line.",
    "values": "Values only: no gradient arrives here, and no parameter is starved by that.",
    "outside": "Not part of the step: no call was recorded on such a line.",
}
"""The same in a whole sentence."""


@dataclass(frozen=True)
class CoveredLine:
    """One line of source, and what the gradient did there."""

    number: int
    text: str
    kind: Kind
    words: str
    """The kind in words, with the counts where a line of a loop let only some calls' gradients through."""
    stages: tuple[int, ...] = ()
    """The calls made on it, by their index in the record."""
    feeds: int = 0
    """The parameters whose gradient comes through it, as bits: bit i stands for `record.parameters[i]`."""
    starves: int = 0
    """Those that starve and would have got theirs through it."""
    cuts: tuple[Cut, ...] = ()
    findings: tuple[int, ...] = ()
    """Numbers of the findings, from 1."""
    continues: bool = False
    """Whether it continues a statement that began on a line above, and is marked like that one."""

    @property
    def marked(self) -> bool:
        """Whether something of the step happens here."""
        return self.kind != "outside"


@dataclass(frozen=True)
class CoveredFile:
    """One file of the reader's."""

    file: str
    lines: tuple[CoveredLine, ...]
    whole: bool
    """False where the file is gone or was changed since: only the recorded lines are known."""

    def count(self, *kinds: Kind) -> int:
        """Lines of these kinds; a statement on several lines counts once."""
        return sum(line.kind in kinds and not line.continues for line in self.lines)


@dataclass(frozen=True)
class Coverage:
    """All files of a step, the traced one first."""

    files: tuple[CoveredFile, ...]
    parameters: tuple[str, ...]

    def names(self, bits: int) -> tuple[str, ...]:
        """The parameters that a line feeds or starves, by name."""
        return tuple(self.parameters[i] for span in spans(bits) for i in range(span[0], span[1] + 1))

    def lines_of(self, parameter: str) -> tuple[tuple[str, int], ...]:
        """(file, line) of every line by which its gradient comes, or from which it never returns."""
        bit = 1 << self.parameters.index(parameter)
        return tuple((f.file, n.number) for f in self.files for n in f.lines if (n.feeds | n.starves) & bit)

    def count(self, *kinds: Kind) -> int:
        """Lines of these kinds in all files."""
        return sum(file.count(*kinds) for file in self.files)


def spans(bits: int) -> tuple[tuple[int, int], ...]:
    """The bits that are set, as (first, last) of each stretch: thousands of neighbours are one pair."""
    found = []
    first = 0
    while bits:
        skip = (bits & -bits).bit_length() - 1
        bits >>= skip
        first += skip
        width = (~bits & (bits + 1)).bit_length() - 1
        found.append((first, first + width - 1))
        bits >>= width
        first += width
    return tuple(found)


def coverage_of(record: StepData) -> Coverage:
    """The gradient coverage of a recorded step, over the source as it can be read now."""
    return Coverage(tuple(_Marks(record).files()), tuple(p.name for p in record.parameters))


class _Marks:
    """What happens at each line, gathered from everything in the record that has a line."""

    def __init__(self, record: StepData) -> None:
        self.record = record
        self.bit = {p.name: 1 << i for i, p in enumerate(record.parameters)}
        self.fed = self.bits(p.name for p in record.parameters if standing(p) == "gradient")
        self.starving = self.bits(p.name for p in record.parameters if standing(p) in ("none", "zero"))
        if record.raised is None:
            self.starving &= self.bits(_accused(record))
        self.text: dict[str, dict[int, str]] = {}
        self.kinds: dict[tuple[str, int], set[Kind]] = {}
        self.stages: dict[tuple[str, int], list[Stage]] = {}
        self.feeds: dict[tuple[str, int], int] = {}
        self.starves: dict[tuple[str, int], int] = {}
        self.cuts: dict[tuple[str, int], list[Cut]] = {}
        self.found: dict[tuple[str, int], list[int]] = {}
        self._stages()
        self._paths()
        self._told()

    def bits(self, names: Iterable[str]) -> int:
        bits = 0
        for name in names:
            bits |= self.bit.get(name, 0)
        return bits

    def mark(self, at: Location | None, *kinds: Kind, feeds: int = 0, starves: int = 0) -> None:
        if at is None:
            return
        where = at.file, at.line
        self.text.setdefault(at.file, {}).setdefault(at.line, at.text)
        self.kinds.setdefault(where, set()).update(kinds)
        self.feeds[where] = self.feeds.get(where, 0) | feeds
        self.starves[where] = self.starves.get(where, 0) | starves

    def _stages(self) -> None:
        """Walks the calls forward: who stands behind each result, and to whom something came back through it."""
        behind: list[int] = []
        came: list[int] = []
        for stage in self.record.stages:
            own = self.bits(stage.parameters)
            if stage.operation == "input":
                own = self.bits([stage.output.name])
            if not stage.output.requires_grad:
                behind.append(0)
                came.append(0)
                self.mark(stage.location, "values")
            else:
                reach, fed = own, own
                for before in stage.inputs:
                    reach |= behind[before]
                    fed |= came[before]
                fed = fed & self.fed if stage.gradient_state == "value" else 0
                behind.append(reach)
                came.append(fed)
                starves = reach & self.starving
                if stage.gradient_state == "value":
                    kind: Kind = "passes"
                elif not starves:
                    kind = "values"
                else:
                    kind = "zeros" if stage.gradient_state == "zero" else "lost"
                self.mark(stage.location, kind, feeds=fed, starves=starves if kind != "passes" else 0)
            if stage.location is not None:
                self.stages.setdefault((stage.location.file, stage.location.line), []).append(stage)

    def _paths(self) -> None:
        """The paths that the record lists for each parameter; they lead through calls that are no stages as well."""
        for parameter in self.record.parameters:
            mine = self.bit[parameter.name]
            for path in parameter.paths if mine & self.fed else ():
                for at in path.lines:
                    self.mark(at, "passes", feeds=mine)

    def _told(self) -> None:
        for cut in self.record.cuts:
            if cut.location is not None:
                self.cuts.setdefault((cut.location.file, cut.location.line), []).append(cut)
            starves = self.bits(cut.starved) & self.starving
            self.mark(
                cut.location, "meant" if cut.intended else "cut", starves=0 if cut.intended else starves
            )
        for number, finding in enumerate(self.record.findings, 1):
            if finding.location is not None:
                self.found.setdefault((finding.location.file, finding.location.line), []).append(number)
            starves = self.bits(finding.names) & self.starving
            self.mark(finding.location, _kind_of(finding, starves), starves=starves)
        for run in self.record.backwards:
            self.mark(run.location, "starts", feeds=self.bits(run.reached) & self.fed)
        if self.record.raised is not None and not self.record.findings:
            self.mark(self.record.raised.location, "fault")

    def files(self) -> Iterator[CoveredFile]:
        for file in sorted(
            self.text, key=lambda name: name != self.record.file
        ):  # stable: as the step met them
            source = read_source(file, self.text[file])
            lines = [self._line(file, number, text, source) for number, text in source.lines.items()]
            yield CoveredFile(file, tuple(lines), source.whole)

    def _line(self, file: str, number: int, text: str, source: SourceText) -> CoveredLine:
        where = file, number
        if where in self.kinds:
            kind = self.worst(where)
            stages = self.stages.get(where, [])
            return CoveredLine(
                number, text, kind, self._words(kind, stages), tuple(s.index for s in stages),
                self.feeds[where], self.starves[where], tuple(self.cuts.get(where, ())), tuple(self.found.get(where, ())),
            )  # fmt: skip
        first = source.statements.get(number)
        above = next(
            (n for n in range(number - 1, first - 1, -1) if (file, n) in self.kinds) if first else iter(()),
            None,
        )
        if above is None:
            return CoveredLine(number, text, "outside", KINDS["outside"].text)
        kind = self.worst((file, above))
        return CoveredLine(number, text, kind, KINDS[kind].text, continues=True)

    def worst(self, where: tuple[str, int]) -> Kind:
        """The first of `KINDS` that happens at a line."""
        return next(kind for kind in KINDS if kind in self.kinds[where])

    def _words(self, kind: Kind, stages: list[Stage]) -> str:
        tracked = [stage for stage in stages if stage.output.requires_grad]
        back = sum(stage.gradient_state == "value" for stage in tracked)
        if kind in ("lost", "zeros") and back:
            return f"passes back from {back} of {counted(len(tracked), 'call')}"
        return KINDS[kind].text


def _accused(record: StepData) -> Iterator[str]:
    """Whom the report says to be starved: what else has no gradient, such as what is moved by hand, wants none."""
    for finding in record.findings:
        yield from finding.names
    for cut in record.cuts:
        if not cut.intended:
            yield from cut.starved


def _kind_of(finding: Finding, starves: int) -> Kind:
    return "cut" if starves and finding.severity == "fault" else "fault"
