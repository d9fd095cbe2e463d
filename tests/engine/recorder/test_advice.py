"""Advice fits the operation that it is given for."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.recorder.forked import report_of

CASES = Path(__file__).parents[2] / "cases"


def finding_in(case: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = report_of(str(next(CASES.glob(f"case_*_{case}.py"))), 1)["findings"]
    return found[0]


@pytest.mark.parametrize(
    ("case", "said", "advised"),
    [
        ("relation_zero_is_the_padding_row", "`padding_idx`", "start the others at 1"),
        ("bag_of_nothing_but_padding", "every index is 2", "remove `padding_idx`"),
        ("functional_padding_row", "every index is 0", "remove `padding_idx`"),
        ("clamp_that_a_parameter_starts_outside", "`alpha` lies outside the range", "Start it inside"),
        ("range_of_a_scale_that_is_too_small", "`log_scale` lies outside the range", "Start it inside"),
        ("gate_saturated_by_a_large_scale", "in its flat region", "closer to zero"),
        ("square_of_a_parameter_at_zero", "where its slope is zero", "other values"),
        ("every_target_is_ignored", "no target", "`ignore_index`"),
        ("margin_that_every_example_keeps", "outside the range", "nothing to fix"),
        (
            "manual_descent_rebinds_the_leaf",
            "computed on this line",
            "with torch.no_grad(): w -= lr * w.grad",
        ),
    ],
)
def test_the_cause_and_the_advice_are_those_of_the_operation(case: str, said: str, advised: str) -> None:
    finding = finding_in(case)
    assert said in finding["text"]
    assert advised in finding["suggestion"]
    assert "straight-through" not in finding["suggestion"]
    assert "retain_grad" not in finding["suggestion"]


def test_a_histogram_is_not_called_integers() -> None:
    case = next(CASES.glob("case_*_histogram_is_matched.py"))
    report = report_of(str(case), 1)
    texts = [f["text"] + f["suggestion"] + f["title"] for f in report["findings"]]
    texts += [p["reason"] for p in report["parameters"]] + [c["title"] for c in report["cuts"]]
    assert "`histc`" in texts[0]
    assert not [text for text in texts if "nteger" in text]
