"""A Lightning callback: `Trainer(callbacks=[GradientReport()])`, of the package `lightning` or `pytorch_lightning`."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .step_report import StepReport

# Each package has a `Callback` of its own; the one that is imported already is the reader's.
_PACKAGES = sorted(
    ("lightning", "pytorch_lightning"), key=lambda name: (name not in sys.modules, find_spec(name) is None)
)
_Callback: Any = import_module({"lightning": "lightning.pytorch"}.get(_PACKAGES[0], _PACKAGES[0])).Callback


class GradientReport(StepReport, _Callback):  # type: ignore[misc]
    """Reports where the gradient stops in one step of the training: see `StepReport`."""

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: object, batch_idx: int) -> None:
        """The first batch is where the first step begins; a validation has been tried before it."""
        if self._watch is None and not self._done and trainer.is_global_zero:
            self._begin(lambda: trainer.optimizers)

    def on_train_batch_end(self, trainer: Any, *rest: object) -> None:
        """Ends the training if asked to."""
        if self._ends:
            trainer.should_stop = True

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """The training has ended."""
        self._end()
        self._done = False

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """The training has raised."""
        self._failed(exception)
        self._done = False
