"""Every program of tests/cases, recorded in a process of its own and held against what it says of itself.

A case's EXPECT names the kind and line of the cut, the exact set of parameters without a gradient (`no_grad`) and
with zeros (`zero`), the exception, and what grows from call to call; `ok=True` marks one with nothing wrong.
"""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from tests.engine.recorder.forked import report_of

CASES = sorted((Path(__file__).parents[2] / "cases").glob("case_*.py"))


def expectation(path: Path) -> dict[str, Any]:
    for node in ast.parse(path.read_text()).body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == "EXPECT"
        ):
            assert isinstance(node.value, ast.Call)
            return {k.arg: ast.literal_eval(k.value) for k in node.value.keywords if k.arg}
    raise AssertionError(f"{path.name} has no EXPECT")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem.removeprefix("case_"))
def test_a_case_is_diagnosed(path: Path) -> None:
    expect = expectation(path)
    report = report_of(str(path), expect.get("calls", 1))
    states = {p["name"]: p["state"] for p in report["parameters"]}
    none = {name for name, state in states.items() if state == "none"}
    zero = {name for name, state in states.items() if state == "zero"}
    said = [*report["cuts"], *report["findings"]]
    assert not any("  " in finding["text"] or "``" in finding["text"] for finding in report["findings"])
    if expect["raises"]:
        kind, pattern = expect["raises"]
        assert report["raised"]["type"] == kind
        assert re.search(pattern, report["raised"]["message"])
        assert report["raised"]["stage"] == expect["raises_in"]
        if expect.get("raise_line"):
            assert report["raised"]["line"] == expect["raise_line"]
        assert set(expect["no_grad"]) <= none | zero
    else:
        assert report["raised"] is None
        by_hand = expect.get("ok") and expect.get("own_backward")  # what was used is cleared afterwards
        assert none == set(expect["no_grad"]) or (by_hand and none <= set(expect["no_grad"]))
        spent = zero <= set(expect.get("zero", ())) and by_hand
        assert spent or zero == set(
            expect.get("zero", ())
        )  # used first and cleared then: no gradient of zeros
    if expect["cut_line"]:
        assert expect["cut_line"] in {one["line"] for one in said}
    if expect["kind"] != "none":
        assert expect["kind"] in {one["kind"] for one in said}
        assert report["ok"] == expect.get("ok", False), report["verdict"]
    if expect.get("growth"):
        assert expect["growth"] in report["growing"]
    if expect.get("ok"):
        assert report["ok"], report["verdict"]
    if expect.get("buffers"):
        assert sorted(expect["buffers"]) == sorted(report["buffers"])


def test_there_are_cases() -> None:
    assert len(CASES) >= 61
