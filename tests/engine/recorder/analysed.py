"""The analysis of a step, without what is said about it."""

from collections.abc import Callable, Iterable, Mapping

from torch import Tensor
from torch.optim import Optimizer

from engine.recorder.analysis.analysis import Analysis, analyse
from engine.recorder.capture.frames import Line
from engine.recorder.capture.session import Session


def analysis_of(
    step: Callable[[], object],
    names: Mapping[str, object],
    optimizers: Iterable[Optimizer] = (),
    *,
    calls: int = 1,
    constant: Iterable[str] = (),
) -> Analysis:
    """Runs a step under the recorder, as `record_step` does."""
    session = Session(lambda: names, optimizers, constant=constant, file=step.__code__.co_filename)
    for _ in range(calls):
        session.run(step)
    return analyse(session)


def code_at(analysis: Analysis, line: Line | None) -> str:
    """The text of a line."""
    found = analysis.location(line)
    return found.text.strip() if found is not None else ""


def loss_of(out: Tensor) -> Tensor:
    """A loss that every element of `out` goes into."""
    return out.pow(2).mean()
