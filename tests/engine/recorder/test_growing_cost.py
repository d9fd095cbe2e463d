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

Trace = Callable[[FrameType, str, Any], Any]
SMALL, TIMES = 60, 4
ALLOWED = 1.05 * TIMES
"""A logarithm, or a part that only the larger step has, may add a little."""


def lines_of(step: Step) -> Counter[CodeType]:
    """How many lines of the engine run in each function while a step is recorded and its report is written."""
    # By the id of the code, which is kept here: to hash a code takes longer than to run a line.
    seen: dict[int, tuple[CodeType, Trace | None]] = {}
    counts: dict[int, list[int]] = {}

    def call(frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if id(code) not in seen:
            count = counts[id(code)] = [0]
            seen[id(code)] = code, counting(count) if "/engine/" in code.co_filename else None
        return seen[id(code)][1]

    step.plain()  # what is made in a first step is not counted, in the small one or in the large one
    step.forget()
    sys.settrace(call)
    try:
        str(record_step(step.run, names=step.names, calls=step.calls))
    finally:
        sys.settrace(None)
    found: Counter[CodeType] = Counter()
    for name, (code, _) in seen.items():
        found[code] += counts[name][0]
    return found


def counting(count: list[int]) -> Trace:
    """What Python is to call in a function: it counts the lines."""

    def line(frame: FrameType, event: str, arg: Any) -> Trace:
        if event == "line":
            count[0] += 1
        return line

    return line


@pytest.mark.parametrize("make", VARIANTS.values(), ids=VARIANTS)
def test_a_step_of_four_times_the_size_costs_four_times_as_much(make: Callable[[int], Step]) -> None:
    torch.manual_seed(0)
    small, large = lines_of(make(SMALL)), lines_of(make(TIMES * SMALL))
    more = sorted(large, key=lambda code: TIMES * small[code] - large[code])[:3]
    worst = [f"{code.co_qualname}: {small[code]:,} lines, then {large[code]:,}" for code in more]
    assert large.total() <= ALLOWED * small.total(), worst
