"""The cost of a recorded step grows as the step does, whatever is wrong in it: held without a clock.

Every line of the engine that runs is counted, in a step and in one of four times its size. What scans all calls for
each parameter, or walks the graph for each of them, counts sixteen times as much in the larger one.
"""

import sys
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import pytest
import torch

from engine.recorder import record_step
from tests.benchmarks.growth import VARIANTS, Step

SMALL, TIMES = 60, 4
ALLOWED = 1.05 * TIMES
"""A logarithm, or a part that only the larger step has, may add a little."""


def lines_of(step: Step) -> Counter[CodeType]:
    """How many lines of the engine run in each function while a step is recorded and its report is written."""
    found: Counter[CodeType] = Counter()

    def line(frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            found[frame.f_code] += 1
        return line

    def call(frame: FrameType, event: str, arg: Any) -> Any:
        return line if "/engine/" in frame.f_code.co_filename else None

    step.plain()  # what is made in a first step is not counted, in the small one or in the large one
    step.forget()
    sys.settrace(call)
    try:
        str(record_step(step.run, names=step.names, calls=step.calls))
    finally:
        sys.settrace(None)
    return found


@pytest.mark.parametrize("make", VARIANTS.values(), ids=VARIANTS)
def test_a_step_of_four_times_the_size_costs_four_times_as_much(make: Callable[[int], Step]) -> None:
    torch.manual_seed(0)
    small, large = lines_of(make(SMALL)), lines_of(make(TIMES * SMALL))
    more = sorted(large, key=lambda code: TIMES * small[code] - large[code])[:3]
    worst = [f"{code.co_qualname}: {small[code]:,} lines, then {large[code]:,}" for code in more]
    assert large.total() <= ALLOWED * small.total(), worst
