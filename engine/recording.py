"""`record`: what one step did, for one of our experiments or for any step of the reader's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor, nn

from engine.recorder import StepRecord, record_step
from engine.settings import Settings, whole_number
from engine.source import script_of
from engine.trace import Run, Trace
from engine.training import train

Weights = Literal["attached", "detached"]


def record(
    step: Settings | Callable[[], Tensor],
    *,
    epoch: int | None = None,
    detached: bool = True,
    weights: Weights = "attached",
    trace: Trace | None = None,
    **options: Any,
) -> StepRecord:
    """Runs one step and returns what happened in it, forward and backward.

    `step` is a function that returns the loss (`options` go to `engine.recorder.record_step`), or the `Settings`
    of an experiment. For settings, `epoch` (1 to the last; the experiment's shown epoch if left out) and `weights`
    (the twin they come from) choose the weights, and `detached` whether the detach stands in the step.
    Raises `SettingsError` for an epoch that the run does not have.
    """
    if not isinstance(step, Settings):
        return record_step(step, **options)
    settings = step
    if epoch is None:
        epoch = min(settings.described().shown_epoch, settings.epochs)
    whole_number("epoch", epoch, (1, settings.epochs))
    found = trace or train(settings)
    model = model_at(settings, found.detached if weights == "detached" else found.attached, epoch)
    script = script_of(settings)
    data = script.make_data()
    run = script.step(detached)
    return record_step(
        lambda: run(model, data)[0], names={"": model, **data._asdict()}, keep=16_384, **options
    )


def model_at(settings: Settings, run: Run, epoch: int) -> nn.Module:
    """The model with the weights that a run had at the start of `epoch`."""
    model = script_of(settings).make_model(settings.start, torch.Generator().manual_seed(settings.seed))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.tensor(run.parameter(name, epoch)))
    return model
