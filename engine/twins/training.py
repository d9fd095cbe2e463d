"""Trains the twins: the same start, data and seed, once without and once with the detach.

The loop keeps references where torch makes a new tensor each epoch anyway (gradients, predictions), copies only
what the optimizer changes in place (the weights, one `cat` an epoch), and works the figures out afterwards, so a
full trace costs little more than a bare loop. A `backward()` that refuses is a result: its words are kept, the
weights stay, the loop goes on. A step with optimizers of its own is called as it is; where it raises, that epoch has
no loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from ..optimizers import maker
from ..settings import Settings
from .experiment_script import Script, script_of
from .trace import Parameter, Run, Trace, frozen

Progress = Callable[[int, int], None]
"""Called with the epochs done and the epochs in all, over both twins. Whatever it raises stops the training."""


def train(settings: Settings, progress: Progress | None = None) -> Trace:
    """Both twins, epoch by epoch. The same settings give the same bits, whatever else runs."""
    if not isinstance(settings, Settings):
        raise TypeError(f"train: got {settings!r}, expected Settings, such as train(Settings()).")
    script = script_of(settings)
    with plain_torch():
        attached = _run(settings, script, False, progress)
        return Trace(settings, attached, _run(settings, script, True, progress))


@contextmanager
def plain_torch() -> Iterator[None]:
    """Torch as it is when it starts, whatever the caller has switched on or off around this call, on one thread.

    Several threads add the parts of a sum up in another order, and what rounding makes of that grows in a long run.

    Raises `RuntimeError` for a default dtype other than float32: that switch belongs to the whole process.
    """
    if torch.get_default_dtype() is not torch.float32:
        raise RuntimeError(
            f"torch's default dtype is {torch.get_default_dtype()}, expected torch.float32: the experiments are "
            "defined in it."
        )
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with (
            torch.inference_mode(False),
            torch.enable_grad(),
            torch.autocast("cpu", enabled=False),
        ):
            yield
    finally:
        torch.set_num_threads(threads)


def start_model(settings: Settings) -> nn.Module:
    """The model with its start weights, drawn from a generator of its own."""
    return script_of(settings).make_model(settings.start, torch.Generator().manual_seed(settings.seed))


def make_optimizers(settings: Settings, model: nn.Module) -> Any:
    """The optimizer of the run, over all parameters, or the several that the experiment makes for itself."""
    own, make = script_of(settings).make_optimizers, maker(settings.optimizer, settings.learning_rate)
    return make(model.parameters()) if own is None else own(model, make)


def _run(settings: Settings, script: Script, detached: bool, progress: Progress | None) -> Run:
    model, data, step = start_model(settings), script.make_data(settings.seed), script.step(detached)
    parameters = list(model.parameters())
    optimizers = make_optimizers(settings, model)
    own = script.own_optimizers
    measure = None if script.measure is None else torch.no_grad()(script.measure)
    stepped = note_stepped(optimizers) if own else {id(p) for p in parameters}
    weights = torch.empty(settings.epochs + 1, sum(p.numel() for p in parameters))
    rows = weights.unbind()
    losses: list[float] = []
    measures: list[Tensor] = []
    predictions: list[Tensor | None] = []
    gradients: list[list[Tensor | None]] = []
    refusal = None
    flat = [p.detach().view(-1) for p in parameters]
    for epoch, row in enumerate(rows[:-1]):
        torch.cat(flat, out=row)
        script.tell(model, epoch + 1)
        loss, prediction, measured = _NO_LOSS, None, _NO_LOSS
        try:
            if not own:
                optimizers.zero_grad()
                loss, prediction = step(model, data)
                if measure is not None:  # of the weights that gave the loss
                    measured = measure(model, data, prediction)
                loss.backward()
                gradients.append([p.grad for p in parameters])
                optimizers.step()
            else:
                loss, prediction = step(model, data, optimizers)
                gradients.append([None if p.grad is None else p.grad.clone() for p in parameters])
                if measure is not None:
                    measured = measure(model, data, prediction)
        except RuntimeError as refused:
            refusal = str(refused)
            gradients.append([None] * len(parameters))
        losses.append(loss.item())
        predictions.append(None if prediction is None else prediction.detach())
        if measure is not None:
            measures.append(measured)
        if progress is not None:
            progress(epoch + 1 + detached * settings.epochs, 2 * settings.epochs)
    torch.cat(flat, out=rows[-1])
    answers = _stacked(predictions)
    named = _parameters(model)
    layers = tuple(dict.fromkeys(p.layer for p in named))
    task = settings.described().task
    return Run(
        detached=detached,
        losses=tuple(losses),
        accuracies=_accuracies(answers, data.targets) if task == "classification" else None,
        r2=_r2(answers, data.targets) if task == "regression" else None,
        measures=tuple(torch.stack(measures).tolist()) if measures else None,
        layers=layers,
        gradient_norms=tuple(_norms(gradients, [p.layer == layer for p in named]) for layer in layers),
        parameters=named,
        weights=frozen(weights.numpy()),
        predictions=frozen(answers.numpy()),
        refusal=refusal,
        stepped=tuple(
            dict.fromkeys(
                p.layer for p, tensor in zip(named, parameters, strict=True) if id(tensor) in stepped
            )
        ),
    )


def on_step(optimizers: Any, call: Callable[[nn.Parameter], object]) -> None:
    """Calls it with each parameter that a step of these optimizers was for, after each step."""

    def stepped(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                call(parameter)

    for one in optimizers if isinstance(optimizers, tuple) else (optimizers,):
        one.register_step_post_hook(stepped)


def note_stepped(optimizers: Any) -> set[int]:
    """The ids of the parameters that a step of these optimizers was for, filled as they step."""
    used: set[int] = set()
    on_step(optimizers, lambda parameter: used.add(id(parameter)))
    return used


_NO_LOSS = torch.tensor(float("nan"))


def _stacked(predictions: list[Tensor | None]) -> Tensor:
    """The predictions of all epochs; nan where a step raised before it had one."""
    known = next((p for p in predictions if p is not None), torch.zeros(1, 1))
    return torch.stack([torch.full_like(known, float("nan")) if p is None else p for p in predictions])


def _parameters(model: nn.Module) -> tuple[Parameter, ...]:
    named, start = [], 0
    for name, parameter in model.named_parameters():
        named.append(Parameter(name, tuple(parameter.shape), slice(start, start + parameter.numel())))
        start += parameter.numel()
    return tuple(named)


def _norms(gradients: list[list[Tensor | None]], chosen: list[bool]) -> tuple[float | None, ...]:
    """The Euclidean norm of the chosen gradients taken together, an epoch; None where none of them came."""
    squares = torch.zeros(len(gradients), dtype=torch.float64)
    came = [False] * len(gradients)
    for column in (number for number, of_layer in enumerate(chosen) if of_layer):
        known = [(epoch, g) for epoch, row in enumerate(gradients) if (g := row[column]) is not None]
        if not known:
            continue
        epochs = [epoch for epoch, _ in known]
        squares[epochs] += torch.stack([g for _, g in known]).double().flatten(1).square().sum(1)
        for epoch in epochs:
            came[epoch] = True
    return tuple(norm if some else None for norm, some in zip(squares.sqrt().tolist(), came, strict=True))


def _accuracies(answers: Tensor, targets: Tensor) -> tuple[float, ...]:
    """The share of samples whose highest score is that of their class, an epoch."""
    return tuple((answers.argmax(dim=2) == targets).double().mean(dim=1).tolist())


def _r2(answers: Tensor, targets: Tensor) -> tuple[float, ...]:
    """1 - (sum of squared errors) / (sum of squares about each output's mean), over all outputs, an epoch."""
    wanted = targets.double()
    total = (wanted - wanted.mean(dim=0)).square().sum()
    return tuple((1 - (answers.double() - wanted).square().sum(dim=(1, 2)) / total).tolist())
