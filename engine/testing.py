"""An assertion for tests: every parameter that the optimizer holds gets a gradient.

from .testing import assert_gradients_flow

def test_the_step_trains_everything():
    assert_gradients_flow(step, optimizer=optimizer)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch.optim import Optimizer

from .recorder import StepRecord, record_step
from .recorder.capture.arguments import constants_in, is_meant


def assert_gradients_flow(
    step: Callable[[], Any],
    *,
    optimizer: Optimizer | Iterable[Optimizer] | None = None,
    names: Mapping[str, object] | None = None,
    expect_constant: Iterable[str] = (),
    calls: int = 1,
) -> StepRecord:
    """Records `step` and fails with the diagnosis where a parameter that is to be trained gets no gradient.

    To be trained is what an optimizer holds, or, where none is known, every parameter that requires grad; frozen
    ones and those in `expect_constant` are not. Fails as well on anything else that the record warns about: a step
    or a backward that raises, something that was to stay constant and gets a gradient, a layer that no optimizer
    holds, no parameter at all. Returns the record otherwise.
    """
    __tracebackhide__ = True
    constant = constants_in(expect_constant)
    record = record_step(step, names=names, optimizer=optimizer, expect_constant=constant, calls=calls)
    any_held = any(p.in_optimizer for p in record.parameters)
    hungry = [
        p.name
        for p in record.parameters
        if p.state in ("none", "zero")
        and p.requires_grad
        and (p.in_optimizer or not any_held)
        and not is_meant(p.name, constant)
    ]
    if hungry or not record.ok:
        what = f"no gradient for {', '.join(hungry)}\n\n" if hungry else ""
        raise AssertionError(f"{what}{record}")
    return record
