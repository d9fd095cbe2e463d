"""`record_step`: records a function that returns the loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch.optim import Optimizer

from .capture.arguments import check_constants, constants_in, no_plain_function, optimizers_in
from .capture.names import variables_of
from .capture.session import KEEP, MEASURE, Session
from .diagnosis import diagnose
from .report import StepRecord


def record_step(
    step: Callable[[], Any],
    *,
    names: Mapping[str, object] | None = None,
    optimizer: Optimizer | Iterable[Optimizer] | None = None,
    keep: int = KEEP,
    measure: int = MEASURE,
    calls: int = 1,
    expect_constant: Iterable[str] = (),
) -> StepRecord:
    """Runs `step()` and `backward()` once (`calls` times for faults that need several) and says what happened.

    `step` takes no arguments and returns the scalar loss, or calls `backward()` itself. `names` maps variable names to
    modules, tensors and optimizers as a module's globals do (`net.weight`, `w`; a module under "" gives bare
    paths); left out, they are read from the variables that `step` refers to. `optimizer` is one or several that
    hold the parameters; those among `names` are found without it. `keep` is the number of elements up to which a
    tensor's values are kept, `measure` that up to which its minimum, maximum and mean are computed: nothing larger is
    read, whatever the size of the model. `expect_constant` names what is meant to get no gradient.

    Gradients are left in place as a plain `backward()` leaves them. What the step raises is kept in the record.
    """
    refused = no_plain_function(step)
    if refused:
        raise TypeError(f"record_step: step {refused}.")
    optimizers, constant = optimizers_in(optimizer), constants_in(expect_constant)
    variables = (lambda: names) if names is not None else (lambda: variables_of(step))
    code = getattr(step, "__code__", None)
    file, line = getattr(code, "co_filename", ""), getattr(code, "co_firstlineno", 0)
    session = Session(variables, optimizers, keep, constant, file, measure, line)
    check_constants(constant, session.before)
    session.several = calls > 1
    for _ in range(max(1, calls)):
        session.run(step)
        if session.raised is not None:
            break
    record = diagnose(session)
    session.tape.release()
    return record
