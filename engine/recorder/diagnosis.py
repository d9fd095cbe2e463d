"""From what was captured to what is to be said: the record of a step with its states, cuts, findings and verdict."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .analysis.analysis import Analysis, analyse
from .analysis.cuts import CutFound
from .analysis.stages import build_stages
from .analysis.states import hides_passes
from .capture.cells import shown_name
from .capture.frames import Line
from .capture.session import Session
from .notes import notes_on
from .parameters import parameter_records
from .record import BackwardRecord, Cut, Finding
from .report import StepRecord
from .rule import Fault, Rule, Severity
from .rules import all_rules, rules_of
from .verdict import verdict_of


def diagnose(session: Session) -> StepRecord:
    """The whole report of a recording."""
    collects = gc.isenabled()
    gc.disable()  # a report makes objects by the thousand, and hardly any of them is garbage before it is done
    try:
        return _diagnosed(analyse(session))
    finally:
        if collects:
            gc.enable()


def _diagnosed(analysis: Analysis) -> StepRecord:
    stages, where = build_stages(analysis)
    findings = findings_of(analysis)
    notes = tuple(notes_on(analysis))
    cuts = (
        *(_cut(cut, analysis, where) for cut in analysis.cuts),
        *_zero_cuts(analysis),
    )
    return StepRecord(
        loss=analysis.loss_value,
        stages=stages,
        parameters=tuple(parameter_records(analysis, frozenset(n for f in findings for n in f.names))),
        cuts=cuts,
        findings=findings,
        raised=analysis.raised,
        growing=analysis.growing,
        buffers=analysis.moved_buffers,
        verdict=verdict_of(
            findings, analysis.raised, cuts, notes, known=not analysis.starved_without_optimizer
        ),
        notes=notes,
        backwards=tuple(_backwards(analysis, where)),
        file=shown_name(analysis.file),
    )


@dataclass(frozen=True)
class _Ranked:
    """A fault beside its rule."""

    rule: Rule
    fault: Fault

    @property
    def kind(self) -> str:
        return self.fault.kind or self.rule.kind

    @property
    def severity(self) -> Severity:
        return self.rule.severity if self.fault.severity is None else self.fault.severity

    @property
    def rank(self) -> tuple[int, int]:
        return self.severity, self.fault.weight


def findings_of(analysis: Analysis) -> tuple[Finding, ...]:
    """What the rules find, the worst first; of the same thing found twice the worse."""
    worst: dict[tuple[str, Line | None, tuple[str, ...]], _Ranked] = {}
    for rule in all_rules():
        for fault in rule.check(analysis):
            one = _Ranked(rule, fault)
            key = (one.kind, fault.line, fault.names)
            if key not in worst or worst[key].rank < one.rank:
                worst[key] = one
    ordered = sorted(worst.values(), key=lambda one: one.rank, reverse=True)
    return tuple(_finding(one, analysis) for one in ordered)


def _finding(one: _Ranked, analysis: Analysis) -> Finding:
    fault, rule = one.fault, one.rule
    return Finding(
        one.kind, rule.title, one.severity.word, analysis.location(fault.line), fault.names, fault.text,
        fault.instead or rule.instead, rule.name,
    )  # fmt: skip


def _cut(cut: CutFound, analysis: Analysis, where: dict[int, int]) -> Cut:
    stage = next((where[id(e)] for call in cut.calls for e in call.outputs if id(e) in where), None)
    return Cut(
        cut.kind, rules_of(cut.rule)[0].title, analysis.location(cut.line), cut.starved, cut.intended, stage,
        cut.partial, cut.possible, cut.why,
    )  # fmt: skip


def _zero_cuts(analysis: Analysis) -> Iterator[Cut]:
    """One for each line that sends zeros, whatever the causes."""
    found: dict[tuple[str, Line | None, bool], dict[str, None]] = {}
    for zero in analysis.zeros:
        found.setdefault((zero.kind, zero.line, zero.harmless), {}).update(dict.fromkeys(zero.starved))
    for (kind, line, harmless), starved in found.items():
        title = rules_of(kind)[0].title
        yield Cut(kind, title, analysis.location(line), tuple(starved), harmless, None)


def _backwards(analysis: Analysis, where: dict[int, int]) -> Iterable[BackwardRecord]:
    bits = [(name, analysis.bit(tensor)) for name, tensor in analysis.once.items()]
    seen = {name for run in analysis.passes for name, bit in bits if run.arrived.get(bit, "none") != "none"}
    fed = {name for name, _ in bits if analysis.states[name] in ("gradient", "zero")}
    hiding = [run for run in analysis.passes if hides_passes(run)]
    for run in analysis.passes:
        within = fed - seen if hiding and run is hiding[-1] else set[str]()
        reached = tuple(
            name for name, bit in bits if run.arrived.get(bit, "none") != "none" or name in within
        )
        root = where.get(id(run.roots[0])) if run.roots else None
        yield BackwardRecord(root, analysis.location(run.line), reached, run.loss)
