"""Assertions for tests: every parameter that the optimizer holds gets a gradient.

from .testing import assert_gradients_flow, gradients_flowing

def test_the_step_trains_everything():
    assert_gradients_flow(step, optimizer=optimizer)

def test_so_does_one_in_the_middle():
    with gradients_flowing(optimizer=optimizer):
        loss = criterion(model(x), y)
        loss.backward()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any

from torch.optim import Optimizer

from .recorder import StepRecord, record_step, recording
from .recorder.capture.arguments import constants_in, is_meant


def assert_gradients_flow(
    step: Callable[[], Any],
    *,
    optimizer: Optimizer | Iterable[Optimizer] | None = None,
    names: Mapping[str, object] | None = None,
    expect_constant: Iterable[str] = (),
    calls: int = 1,
) -> StepRecord:
    """Records `step` and fails with the diagnosis if a parameter that should be trained gets no gradient.

    What an optimizer holds should be trained or, if none is known, every parameter that requires grad; frozen
    ones and those in `expect_constant` should not. Also fails on anything else that the record warns about: a step
    or a backward pass that raises, something meant to stay constant that gets a gradient, a layer that no optimizer
    holds, no parameter at all. Returns the record otherwise.
    """
    __tracebackhide__ = True
    constant = constants_in(expect_constant)
    record = record_step(step, names=names, optimizer=optimizer, expect_constant=constant, calls=calls)
    complaint = _complaint(record, constant)
    if complaint:
        raise AssertionError(complaint)
    return record


class gradients_flowing(recording):  # noqa: N801 (a context manager, named like those of the standard library)
    """Records its block like `recording`, and fails at its end like `assert_gradients_flow`.

    An exception in the block propagates as it is, unless it is a fault of the gradients: then the diagnosis reports it.
    """

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Fails if a parameter gets no gradient."""
        __tracebackhide__ = True
        super().__exit__(kind, error, trace)
        if error is None or (isinstance(error, Exception) and self.report.ran):
            complaint = _complaint(self.report, self._constant)
            if complaint:
                raise AssertionError(complaint) from None


class GradientsFlow:
    """Both, as pytest's fixture `gradients_flow` has them."""

    __call__ = staticmethod(assert_gradients_flow)
    recording = gradients_flowing


def _complaint(record: StepRecord, constant: Iterable[str]) -> str:
    """What is wrong with a step; "" where nothing is."""
    any_held = any(p.in_optimizer for p in record.parameters)
    hungry = [
        p.name
        for p in record.parameters
        if p.state in ("none", "zero")
        and p.requires_grad
        and (p.in_optimizer or not any_held)
        and not is_meant(p.name, constant)
    ]
    if record.ok and not hungry:
        return ""
    return f"no gradient for {', '.join(hungry)}\n\n{record}" if hungry else str(record)
