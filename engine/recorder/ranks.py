"""Several processes of one distributed job, each with its own record of the same step: one record of all.

What one rank's loss reaches and another's does not comes first. DistributedDataParallel, and every sum of gradients
written by hand, waits for the gradients of all ranks: such a parameter hangs the job, or raises, or gets a mean to
which one rank gave nothing. Which parameters a rank reaches is read off its own backward passes and not off `.grad`,
where the other ranks' gradients may stand.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten
from traceback import walk_stack
from types import FrameType
from typing import Literal

from ..syntax import parse
from ..text import first_line, listed, verb
from .capture.frames import Line
from .capture.stack import frames_standing
from .record import Finding, Location, ParameterRecord, Raised, RankEnd, RankRecord
from .report import StepRecord
from .verdict import verdict_of
from .watch import StepWatch

_IN_PARALLEL = "unused_in_parallel"
"""The rule for what DistributedDataParallel raises on an unused parameter."""
_TITLE = "Reached by some ranks only"
_ALIKE = (
    "Make every rank take the same branch, by a condition that is the same on all, or include what is left out with "
    "weight 0: `loss + 0 * sum(p.sum() for p in layer.parameters())`. With `find_unused_parameters=True`, DistributedDataParallel "
    "does not wait for it and averages as if that rank's gradient were zero."
)
_JOIN = os.path.join("distributed", "algorithms", "join.py")
Why = Literal["waits", "late", "told to end"]
_STANDING: Mapping[Why, tuple[RankEnd, str]] = {
    "waits": ("waits", "does not reach the end of step {step}: it waits"),
    "late": ("silent", "was too late for this report, in step {step}"),
    "told to end": ("silent", "was terminated (SIGTERM) in step {step}"),
}
_SHOWN_FIRST: Sequence[RankEnd] = ("recorded", "waits", "raised", "ended", "silent")


@dataclass(frozen=True)
class RankReport:
    """What one rank has to say."""

    rank: int
    end: RankEnd
    text: str
    """How it ended, without its subject: "ended before step 2"."""
    record: StepRecord | None = None
    """That of its step, or of so much of it as was seen."""
    before: StepRecord | None = None
    """That of the step before, where DistributedDataParallel raised because of it."""
    location: Location | None = None
    fed_before: frozenset[str] = frozenset()
    """The parameters that got a gradient in an earlier step."""

    @property
    def shown(self) -> StepRecord | None:
        """What a report shows of it: the step that DistributedDataParallel raised because of, and not the one that
        had only begun."""
        raised = self.record is not None and any(f.rule == _IN_PARALLEL for f in self.record.findings)
        return self.before if raised and self.before is not None else self.record

    @property
    def reached(self) -> frozenset[str]:
        """The parameters that its own backward passes brought a gradient to."""
        runs = self.record.backwards if self.record is not None else ()
        return frozenset(name for run in runs for name in run.reached)

    @property
    def unused(self) -> Mapping[str, Location | None]:
        """The parameters that the step should train and does not reach, each with the line that keeps it out."""
        record = self.record
        if record is None:
            return {}
        if self.end == "raised":
            told = (finding for finding in record.findings if finding.rule == _IN_PARALLEL)
            lines = {name: _own_line(finding, record) for finding in told for name in finding.names}
            cuts = {p.name: p.location for p in self.before.parameters} if self.before is not None else {}
            return {name: cuts.get(name) or line for name, line in lines.items()}
        if self.end != "recorded":
            return {}
        known = any(one.in_optimizer for one in record.parameters)
        return {
            one.name: one.location
            for one in record.parameters
            if one.state == "none" and not one.same_as and (one.in_optimizer or not known)
        }


def standing_report(
    rank: int, watch: StepWatch, frame: FrameType, why: Why, handles: BaseException | None = None
) -> RankReport:
    """That of a rank whose training stands at `frame` in another thread, where it handles an exception or none."""
    frames = frames_standing(frame)
    at = Line(frames[-1].f_code.co_filename, frames[-1].f_lineno).location() if frames else None
    step = watch.turns + 1
    record = watch.so_far(frames)
    if any(one.f_code.co_filename.endswith(_JOIN) for one, _ in walk_stack(frame)):
        return RankReport(
            rank, "ended", f"finished its own part before step {step} and follows the others in `join()`"
        )
    end, text = _STANDING[why]
    after = f" (while handling {short(handles)})" if handles is not None else ""
    return RankReport(rank, end, f"{text.format(step=step)}{after}", record, location=at)


def short(error: BaseException | Raised) -> str:
    """What was raised, in a line."""
    kind, message = (
        (error.type, error.message) if isinstance(error, Raised) else (type(error).__name__, str(error))
    )
    return f"{kind}: {shorten(first_line(message), 100, placeholder=' ...')}".removesuffix(": ")


def _own_line(finding: Finding, record: StepRecord) -> Location | None:
    """The line of the finding, unless that is only where it was raised."""
    raised = record.raised.location if record.raised is not None else None
    return None if finding.location == raised else finding.location


def merged(reports: Iterable[RankReport], size: int) -> StepRecord | None:
    """One record of all ranks of a job, that of the rank with the most to show; None where none has any."""
    left = {one.rank: one for one in reports}
    ranks = [left.get(rank) or RankReport(rank, "silent", "did not answer") for rank in range(size)]
    shown = min(ranks, key=lambda one: (one.record is None, _SHOWN_FIRST.index(one.end)))
    if shown.shown is None:
        return None
    apart = tuple(_apart(ranks))
    findings = (*(one.finding for one in apart if not one.varies), *_others(ranks, apart))
    raised = next((one.record.raised for one in ranks if one.record and one.record.raised), None)
    notes = (*(one.finding.text for one in apart if one.varies), *_notes(ranks))
    record = replace(
        shown.shown,
        findings=findings,
        raised=raised,
        notes=notes,
        parameters=tuple(_parameter(one, apart) for one in shown.shown.parameters),
        ranks=tuple(_rank(one, one is shown) for one in ranks),
    )
    return replace(record, verdict=_verdict(record))


@dataclass(frozen=True)
class _Apart:
    """Parameters that some ranks reach and others do not."""

    names: tuple[str, ...]
    without: tuple[int, ...]
    finding: Finding
    varies: bool
    """Whether that changes from step to step and did no harm in this one."""


def _apart(ranks: Sequence[RankReport]) -> Iterator[_Apart]:
    """Those parameters, together where the same ranks reach them and the same line keeps them out."""
    unused = {one.rank: one.unused for one in ranks}
    grouped: dict[tuple[tuple[int, ...], tuple[int, ...], Location | None], list[str]] = {}
    for name in dict.fromkeys(name for held in unused.values() for name in held):
        reaching = tuple(one.rank for one in ranks if name in one.reached)
        without = tuple(rank for rank, held in unused.items() if name in held and rank not in reaching)
        if reaching and without:
            line = next((held[name] for held in unused.values() if held.get(name)), None)
            grouped.setdefault((reaching, without, line), []).append(name)
    calm = all(one.end == "recorded" for one in ranks)
    for (reaching, without, line), names in grouped.items():
        missing = [one for one in ranks if one.rank in without]
        uses = next(_use(names, one) for one in ranks if one.rank in reaching)
        told = next((f for one in missing for f in _findings(one) if {*names} & {*f.names}), None)
        yield _Apart(
            tuple(names),
            without,
            _finding(names, reaching, without, line, uses, told, calm),
            calm and all(name in one.fed_before for name in names for one in missing),
        )


def _finding(
    names: Sequence[str],
    reaching: Sequence[int],
    without: Sequence[int],
    line: Location | None,
    use: Location | None,
    told: Finding | None,
    calm: bool,
) -> Finding:
    it = verb(names, "it", "them")
    reach = _ranks(reaching).lower()
    text = f"{_ranks(without)} {verb(without, 'does', 'do')} not reach {listed(names)}, but {reach} {verb(reaching, 'does', 'do')}"
    if line is not None:
        text += f": on {_ranks(without).lower()} the path ends on this line"
    elif use is not None:
        text += f": only {reach} {verb(reaching, 'reaches', 'reach')} this line"
        condition = _condition_around(use)
        text += f", inside `{condition.text}` (line {condition.line})" if condition else ""
    text += (
        f". Nothing waited for {it} in this step. Without `find_unused_parameters=True`, DistributedDataParallel "
        "does wait, and the job hangs."
        if calm
        else ". The ranks wait for what not all of them reach: the job hangs, or its next step raises."
    )
    cut = told is not None and told.rule != _IN_PARALLEL and told.severity == "fault"
    return Finding(
        kind=told.kind if told is not None else "not_in_graph",
        title=_TITLE,
        severity="fault" if cut or not calm else "unused",
        location=line or use or (told.location if told is not None else None),
        names=tuple(names),
        text=text,
        suggestion=told.suggestion if cut and told is not None else _ALIKE,
        rule=told.rule if told is not None else _IN_PARALLEL,
    )


def _findings(one: RankReport) -> tuple[Finding, ...]:
    """What a rank finds. What DistributedDataParallel raises on is told by what the step before found, if it did."""
    found = one.record.findings if one.record is not None else ()
    cuts = [f for f in one.before.findings if f.severity != "unused"] if one.before is not None else []
    told = {name for finding in cuts for name in finding.names}
    missed = {name for finding in found if finding.rule == _IN_PARALLEL for name in finding.names}
    if not missed & told:
        return found
    return (*cuts, *(finding for finding in found if finding.rule != _IN_PARALLEL or {*finding.names} - told))


def _use(names: Iterable[str], one: RankReport) -> Location | None:
    """The line of a rank that uses one of these parameters first."""
    wanted = {*names}
    stages = one.record.stages if one.record is not None else ()
    return next((stage.location for stage in stages if wanted & {*stage.parameters}), None)


def _condition_around(line: Location) -> Location | None:
    """The innermost `if` whose branch a line stands in."""
    lines = linecache.getlines(line.file)
    try:
        tree = parse("".join(lines))
    except SyntaxError:
        return None
    found = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and node.test.lineno < line.line <= (node.end_lineno or 0)
    ]
    if not found:
        return None
    return Location(line.file, max(found), lines[max(found) - 1].strip())


def _others(ranks: Sequence[RankReport], apart: Sequence[_Apart]) -> Iterator[Finding]:
    """What the ranks find beside that, each thing once with the ranks that find it, the more ranks the earlier."""
    explained = {(rank, name) for one in apart for rank in one.without for name in one.names}
    found: dict[tuple[str, str, Location | None, tuple[str, ...]], list[tuple[int, Finding]]] = {}
    for one in ranks:
        for finding in _findings(one):
            if finding.names and all((one.rank, name) in explained for name in finding.names):
                continue
            key = finding.rule, finding.kind, finding.location, finding.names
            found.setdefault(key, []).append((one.rank, finding))
    for told in sorted(found.values(), key=lambda told: told[0][1].severity == "unused"):
        finding = told[0][1]
        yield replace(finding, text=f"{_on([rank for rank, _ in told], ranks)}: {finding.text}")


def _notes(ranks: Sequence[RankReport]) -> Iterator[str]:
    """The ranks' notes, each once."""
    found: dict[str, list[int]] = {}
    for one in ranks:
        for note in one.record.notes if one.record is not None else ():
            found.setdefault(note, []).append(one.rank)
    for note, told in found.items():
        yield note if len(told) == len(ranks) else f"{_on(told, ranks)}: {note}"


def _parameter(one: ParameterRecord, apart: Sequence[_Apart]) -> ParameterRecord:
    """A parameter of the rank that is shown; of the others it is said where they don't reach it."""
    without = sorted({rank for held in apart if one.name in held.names for rank in held.without})
    if not without or one.state != "gradient":
        return one
    return one._replace(reason=f"{one.reason} Not on {_ranks(without).lower()}.")


def _rank(one: RankReport, shown: bool) -> RankRecord:
    return RankRecord(one.rank, one.end, one.text, one.location, tuple(one.unused), shown)


def _verdict(record: StepRecord) -> str:
    if record.findings:
        return verdict_of(record.findings, record.raised, record.cuts)
    waiting = [rank for rank in record.ranks if rank.end == "waits"]
    without = [rank.sentence for rank in record.ranks if rank.end not in ("recorded", "raised")]
    if record.raised is not None:
        rank = next(rank for rank in record.ranks if rank.end == "raised")
        first = first_line(record.raised.message)
        at = f"{rank.location}, `{rank.location.text}`: " if rank.location is not None else ""
        said = f"{at}on rank {rank.rank} the {record.raised.where} raised {record.raised.type}{f': {first}' if first else '.'}"
        if waiting:
            said += (
                f" ({_ranks([one.rank for one in waiting]).lower()} {verb(waiting, 'waits', 'wait')} for it)"
            )
        return " ".join([said, *(one.sentence for one in record.ranks if one.end in ("ended", "silent"))])
    if record.hangs:
        return " ".join(["The job hangs.", *without])
    if record.cut_short:
        return " ".join(["No rank reached the end of its step.", *without])
    return " ".join([verdict_of((), None, record.cuts, record.notes), *without])


def _ranks(ranks: Sequence[int]) -> str:
    """ "Rank 1", "Ranks 0 and 2"."""
    return f"Rank{'' if len(ranks) == 1 else 's'} {listed([str(rank) for rank in ranks], 8).replace('`', '')}"


def _on(ranks: Sequence[int], of: Sequence[RankReport]) -> str:
    return "On every rank" if len(ranks) == len(of) else f"On {_ranks(ranks).lower()}"
