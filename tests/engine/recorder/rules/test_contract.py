"""What every rule keeps: its bad example has exactly its fault on the marked line, its good one has none.

What a report advises on the bad example names in code what the good one does: a word of the lines that differ.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.recorder.rule import MARK, Rule
from engine.recorder.rules import all_rules, rules_of
from tests.engine.recorder.forked import report_of

RULES = all_rules()
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def reported(text: str, rule: Rule, folder: Path) -> dict[str, Any]:
    path = folder / "example.py"
    path.write_text(text.replace(MARK, ""))
    return report_of(str(path), rule.calls, rule.constant)


def marked_line(text: str) -> int | None:
    marked = [n for n, line in enumerate(text.splitlines(), 1) if line.endswith(MARK)]
    assert len(marked) <= 1
    return marked[0] if marked else None


def words(code: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", code))


def changed(rule: Rule) -> set[str]:
    """The words that only one of the examples has, or has more of; where it is their order, all of those lines."""
    bad, good = ([line.removesuffix(MARK) for line in text.splitlines()] for text in (rule.bad, rule.good))
    without = words("\n".join(line for line in bad if line not in good))
    with_ = words("\n".join(line for line in good if line not in bad))
    return set((without - with_) + (with_ - without) or without)


@each_rule
def test_the_bad_example_has_exactly_this_fault(rule: Rule, tmp_path: Path) -> None:
    report = reported(rule.bad, rule, tmp_path)
    found = [(finding["rule"], finding["kind"], finding["line"]) for finding in report["findings"]]
    assert found == [(rule.name, rule.kind, marked_line(rule.bad))]
    assert not report["ok"]
    (told,) = report["findings"]
    assert told["title"] == rule.title
    assert set(words(" ".join(re.findall("`([^`]*)`", told["suggestion"])))) & changed(rule)


@each_rule
def test_the_good_example_is_right(rule: Rule, tmp_path: Path) -> None:
    report = reported(rule.good, rule, tmp_path)
    assert report["ok"], report["verdict"]
    assert report["findings"] == []


@each_rule
def test_one_line_of_the_good_example_cures_the_bad_one(rule: Rule) -> None:
    bad, good = rule.bad.splitlines(), rule.good.splitlines()
    if marked_line(rule.bad) is None:
        return  # no line of the step is to blame: what is missing stands nowhere
    assert len(bad) == len(good)
    assert sum(one.removesuffix(MARK) != other for one, other in zip(bad, good, strict=True)) == 1


SECOND_NAMES = """

second = nn.ModuleDict({f"the_{k}": v for k, v in list(globals().items()) if isinstance(v, nn.Module)})
"""


@each_rule
def test_a_second_name_for_every_module_changes_nothing(rule: Rule, tmp_path: Path) -> None:
    if "from torch import nn" not in rule.bad:
        return
    once, twice = reported(rule.bad, rule, tmp_path), reported(rule.bad + SECOND_NAMES, rule, tmp_path)
    assert twice["findings"] == once["findings"]
    assert reported(rule.good + SECOND_NAMES, rule, tmp_path)["ok"]


@each_rule
def test_its_texts_say_something(rule: Rule) -> None:
    for text in (rule.title, rule.what, rule.why, rule.instead):
        assert text.strip() == text
        assert len(text) > 10
    assert rule.title[0].isupper()
    assert not rule.title.endswith(".")
    assert rule.why.endswith((".", "!"))


@pytest.mark.parametrize("kind", sorted({rule.kind for rule in RULES}))
def test_a_kind_has_a_rule_of_its_name(kind: str) -> None:
    assert rules_of(kind)[0].name == kind


def test_an_unknown_kind_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="no rule is called 'detatch'; the nearest are detach"):
        rules_of("detatch")
