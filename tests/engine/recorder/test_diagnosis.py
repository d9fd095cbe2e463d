"""What the rules find, in the order of a report: the worst first, of one severity the one that starves more."""

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import diagnosis, record_step
from engine.recorder.analysis.analysis import Analysis
from engine.recorder.capture.frames import Line
from engine.recorder.diagnosis import findings_of
from engine.recorder.rule import Fault, Rule, Severity
from tests.engine.recorder.analysed import analysis_of, loss_of


def analysis() -> Analysis:
    net, x = nn.Linear(3, 1), torch.ones(5, 3)
    return analysis_of(lambda: loss_of(net(x)), {"net": net})


def rule(severity: Severity, *faults: Fault, name: str = "one", kind: str = "detach") -> Rule:
    return Rule(
        kind=kind, title=f"The title of {name}", what="", why="", instead=f"The advice of {name}", severity=severity,
        bad="", good="", check=lambda _: faults, name=name,
    )  # fmt: skip


def told(monkeypatch: pytest.MonkeyPatch, *rules: Rule) -> list[str]:
    monkeypatch.setattr(diagnosis, "all_rules", lambda: rules)
    return [finding.text for finding in findings_of(analysis())]


def test_severity_comes_before_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    light = rule(Severity.WASTE, Fault(None, ("a",), "waste", weight=1000), name="light")
    grave = rule(Severity.STARVED, Fault(None, ("b",), "starved"), name="grave")
    assert told(monkeypatch, light, grave) == told(monkeypatch, grave, light) == ["starved", "waste"]


def test_every_severity_stands_before_those_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [rule(s, Fault(None, (s.name,), s.name, weight=-s), name=s.name) for s in Severity]
    order = [
        "RAISED", "REFUSED", "NOT_FINITE", "UNMEANT", "STARVED", "STILL", "WRONG", "MISSED", "WASTE", "UNUSED",
    ]  # fmt: skip
    assert told(monkeypatch, *rules) == order
    assert told(monkeypatch, *reversed(rules)) == order


def test_within_one_severity_the_heavier_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = [Fault(None, (str(weight),), str(weight), weight=weight) for weight in (2, 30, -50, 1)]
    assert told(monkeypatch, rule(Severity.STARVED, *faults)) == ["30", "2", "1", "-50"]


def test_a_faults_own_severity_counts_for_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    mild = rule(Severity.WASTE, Fault(None, ("a",), "raised", severity=Severity.RAISED), name="mild")
    grave = rule(Severity.STARVED, Fault(None, ("b",), "unused", severity=Severity.UNUSED), name="grave")
    middle = rule(Severity.STILL, Fault(None, ("c",), "still"), name="middle")
    assert told(monkeypatch, grave, middle, mild) == ["raised", "still", "unused"]


def test_the_same_thing_found_twice_is_told_once_in_its_worse_form(monkeypatch: pytest.MonkeyPatch) -> None:
    line, names = Line("step.py", 3), ("a", "b")
    mild = rule(Severity.WRONG, Fault(line, names, "mild", weight=9), name="mild")
    grave = rule(Severity.STARVED, Fault(line, names, "grave"), name="grave")
    assert told(monkeypatch, mild, grave) == told(monkeypatch, grave, mild) == ["grave"]
    others = [
        rule(Severity.WRONG, Fault(Line("step.py", 4), names, "another line"), name="line"),
        rule(Severity.WRONG, Fault(line, ("a",), "another name"), name="name"),
        rule(Severity.WRONG, Fault(line, names, "another kind"), name="kind", kind="item"),
        rule(Severity.WRONG, Fault(line, names, "a kind of its own", kind="data"), name="own"),
    ]
    assert len(told(monkeypatch, grave, *others)) == 5


def test_a_finding_has_the_title_of_its_rule_and_the_advice_of_its_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual, own = Fault(None, ("a",), "usual"), Fault(None, ("b",), "own", "Do this.", kind="data")
    monkeypatch.setattr(diagnosis, "all_rules", lambda: [rule(Severity.UNUSED, usual, own, name="one")])
    found = findings_of(analysis())
    assert [f.suggestion for f in found] == ["The advice of one", "Do this."]
    assert [f.kind for f in found] == ["detach", "data"]
    assert {(f.title, f.rule, f.severity) for f in found} == {("The title of one", "one", "unused")}


def test_whoever_is_held_by_an_optimizer_weighs_more_than_many_who_are_not() -> None:
    many, one, x = nn.Sequential(*[nn.Linear(3, 3) for _ in range(4)]), nn.Linear(3, 3), torch.ones(5, 3)
    head = nn.Linear(3, 1)

    def step() -> Tensor:
        first = many(x).detach()
        second = one(x).detach()
        return loss_of(head(first + second))

    names = {"many": many, "one": one, "head": head}
    known = record_step(step, names=names)
    assert [len(f.names) for f in known.findings] == [8, 2]
    optimizer = torch.optim.SGD([*one.parameters(), *head.parameters(), *list(many.parameters())[:1]], 0.1)
    head.zero_grad()
    held = record_step(step, names=names, optimizer=optimizer)
    assert [len(f.names) for f in held.findings] == [2, 8]
