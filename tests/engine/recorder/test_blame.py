"""Where something else on the way looks like the fault, the fault alone is named, at its line, each tensor once."""

from pathlib import Path

import pytest

from tests.engine.recorder.forked import report_of
from tests.engine.recorder.test_cases import CASES, expectation

BESIDE = ("beside", "before", "then", "after", "wrapper", "two_names", "held_by", "clamped_critic", "rebuilt")
"""Words in the names of the cases that have something beside the fault."""
TEMPTING = [
    path
    for path in CASES
    if any(word in path.stem for word in BESIDE)
    and (expect := expectation(path)).get("cut_line")
    and not expect.get("ok")
    and not expect["raises"]
    and int(path.stem.split("_")[1]) >= 150
]


@pytest.mark.parametrize("path", TEMPTING, ids=lambda path: path.stem.removeprefix("case_"))
def test_nothing_else_is_blamed(path: Path) -> None:
    expect = expectation(path)
    found = report_of(str(path), expect.get("calls", 1))["findings"]
    assert [(one["kind"], one["line"]) for one in found] == [(expect["kind"], expect["cut_line"])]
    tensors = [name for name in found[0]["names"] if name.partition(".")[0] not in ("crit", "ddp", "both")]
    assert found[0]["names"] == tensors
    assert len(set(tensors)) == len(tensors)
    assert tensors or "`" in found[0]["text"]  # a tensor of the step's own


def test_there_are_such_cases() -> None:
    assert len(TEMPTING) >= 30
