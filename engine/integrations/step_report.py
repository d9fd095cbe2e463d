"""What the trainers' callbacks have in common: one step of a training is recorded and reported."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import get_args

from torch.optim import Optimizer

from ..forms import Form, write_report
from ..recorder import StepRecord
from ..recorder.render.formats import report_as
from ..recorder.watch import StepWatch
from ..text import counted


class StepReport:
    """Records optimizer step number `step` of a training, counted from 1, and reports it.

    The report is printed, or passed to `tell` as a record, or written to the file `output`, in a `format`
    of the command line. The training continues bit for bit as it would without, or ends there with `stop=True`.
    """

    def __init__(
        self,
        step: int = 2,
        *,
        tell: Callable[[StepRecord], object] | None = None,
        output: str | None = None,
        format: Form = "text",
        stop: bool = False,
    ) -> None:
        if not isinstance(step, int) or step < 1:
            raise ValueError(f"step={step!r} is not a positive whole number.")
        if format not in get_args(Form):
            raise ValueError(f"format={format!r} is not one of {', '.join(get_args(Form))}.")
        self._step = step
        self._tell = tell
        self._output = output
        self._format = format
        self._stop = stop
        self._watch: StepWatch | None = None
        self._done = False

    @property
    def _ends(self) -> bool:
        """Whether the training is to end now."""
        return self._stop and self._done

    def _begin(self, optimizers: Callable[[], Iterable[Optimizer]]) -> None:
        """The training's first step begins here."""
        self._let_go()
        self._done = False
        self._watch = StepWatch(self._step, "", self._recorded, optimizers=optimizers)
        self._watch.start()
        self._watch.begin()

    def _end(self) -> None:
        """The training has ended."""
        watch = self._watch
        if watch is not None and not self._done:
            made = counted(watch.turns, "optimizer step")
            warnings.warn(
                f"The training ended after {made}: there is no step {self._step} to report.", stacklevel=2
            )
        self._let_go()

    def _failed(self, error: BaseException) -> None:
        """The training has raised: the report says why, where that is a fault of its gradients."""
        if self._watch is not None and not self._done and isinstance(error, Exception):
            record = self._watch.failed(error)
            if record is not None and record.ran:
                self._recorded(record)
        self._let_go()

    def _let_go(self) -> None:
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    def _recorded(self, record: StepRecord) -> None:
        self._done = True
        if self._tell is not None:
            self._tell(record)
        elif self._output is not None:
            try:
                write_report(report_as(record, self._format).encode(errors="backslashreplace"), self._output)
            except OSError as error:  # no reason to end a training
                warnings.warn(f"{self._output} can't be written: {error.strerror}.", stacklevel=2)
        else:
            print(report_as(record, self._format))
