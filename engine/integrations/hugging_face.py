"""A callback of Hugging Face's Trainer: `Trainer(..., callbacks=[GradientReport()])`."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from transformers import TrainerCallback

from .step_report import StepReport


class GradientReport(StepReport, TrainerCallback):  # type: ignore[misc]
    """Reports where the gradient stops in one step of the training: see `StepReport`."""

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """The first step begins."""
        if self._watch is None and not self._done and state.is_world_process_zero:
            optimizer = given["optimizer"]
            self._begin(lambda: [optimizer])
            self._hook, sys.excepthook = sys.excepthook, self._raised

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Ends the training if asked to."""
        if self._ends:
            control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """The training has ended."""
        self._end()
        self._done = False

    def _raised(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """The trainer tells its callbacks nothing of an exception; a script that ends with one does."""
        self._failed(error)
        self._hook(kind, error, trace)

    def _let_go(self) -> None:
        super()._let_go()
        if sys.excepthook == self._raised:
            sys.excepthook = self._hook
