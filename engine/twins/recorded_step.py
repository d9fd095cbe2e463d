"""`record`: what one step did, for one of our experiments or for any step of the reader's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import nn

from ..recorder import StepRecord, record_step
from ..settings import Settings, SettingsError, one_of, whole_number
from .experiment_script import script_of
from .trace import Run, Trace
from .training import plain_torch, start_model, train

Weights = Literal["attached", "detached"]


def record(
    step: Settings | Callable[[], object],
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
    if isinstance(step, Settings):
        if options:
            raise TypeError(f"record(settings): {', '.join(options)} goes with a step of your own only.")
        return _record_experiment(step, epoch, detached, weights, trace)
    if not callable(step):
        raise TypeError(f"record: got {step!r}, expected a function that returns the loss, or Settings.")
    if epoch is not None or trace is not None:
        raise TypeError("record(step): epoch and trace go with Settings only.")
    return record_step(step, **options)


def _record_experiment(
    settings: Settings, epoch: int | None, detached: bool, weights: Weights, trace: Trace | None
) -> StepRecord:
    if epoch is None:
        epoch = min(settings.described().shown_epoch, settings.epochs)
    whole_number("epoch", epoch, (1, settings.epochs))
    one_of("weights", weights, ("attached", "detached"))
    if not isinstance(detached, bool):
        raise SettingsError("detached", detached, "True or False")
    found = trace or train(settings)
    if found.settings != settings:
        raise SettingsError("trace", found.settings, "the trace of the same settings")
    script = script_of(settings)
    with plain_torch():
        model = model_at(settings, found.detached if weights == "detached" else found.attached, epoch)
        data, run = script.make_data(settings.seed), script.step(detached)
        if script.make_optimizers is None:
            return record_step(lambda: run(model, data)[0], names={"": model, **data._asdict()}, keep=16_384)
        # A rate of 0: each stage and parameter is shown with the weights that the epoch starts from.
        still = script.make_optimizers(model, lambda parameters: torch.optim.SGD(parameters, lr=0.0))
        names = {"": model, "optimizers": still, **data._asdict()}
        return record_step(lambda: run(model, data, still)[0], names=names, keep=16_384)


def model_at(settings: Settings, run: Run, epoch: int) -> nn.Module:
    """The model with the weights that a run had at the start of `epoch`, told that epoch where it wants to know."""
    model = start_model(settings)
    put_at(model, settings, run, epoch)
    return model


def put_at(model: nn.Module, settings: Settings, run: Run, epoch: int) -> None:
    """Gives a model the weights that a run had at the start of `epoch`, and tells it that epoch where it wants to know.

    Where the step clears its gradients itself, a parameter that had one in the epoch before has one here, of zeros:
    whether the step leaves zeros or None is the step's own doing.
    """
    script = script_of(settings)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.tensor(run.parameter(name, epoch)))
            had_one = script.own_optimizers and epoch > 1 and run.had_gradient(name, epoch - 1)
            parameter.grad = torch.zeros_like(parameter) if had_one else None
    script.tell(model, epoch)
