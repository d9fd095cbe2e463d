"""The learning-rate sweep: the final loss of both twins over many learning rates, in one batched run.

The parameters of all rates are stacked, `batched` writes the experiment's step out for the whole stack once,
and each optimizer is torch's own formula, in torch's own order of operations, with a learning rate for each row. So
a rate's final loss is that of `train` at this rate, but for rounding: a batched product adds up in
another order than a single one.

A rate *diverges* where some epoch's loss is not finite, or the last loss lies above the first. The measured edge is
where that begins. For plain gradient descent on a loss that is quadratic in the parameters there is an exact one to
hold it against: each eigenvector of the Hessian shrinks or grows by the factor |1 - rate x eigenvalue| a step, so
the largest eigenvalue sets the edge at 2 / lambda. Just above it the growth is slow, and the last loss may still lie
below the first: the measured edge lies above the exact one, and comes down to it as the epochs increase.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..optimizers import maker
from ..settings import LEARNING_RATE, Settings, SettingsError, number
from ..twins.experiment_script import Script, script_of
from ..twins.training import Progress, plain_torch, start_model
from .batched import Unbatchable, connected, loss_of, write_out

COUNT = 256
"""How many rates a sweep takes where nobody says which."""

ROUNDING = 1e-6
"""How far, relatively, a loss may lie above another one by rounding alone."""


class SweepError(ValueError):
    """These settings cannot be swept; the sentence says why."""


@dataclass(frozen=True)
class Curve:
    """One of the twins over the rates of its sweep."""

    detached: bool
    rates: tuple[float, ...]
    first: float
    """The loss before the first step, the same for every rate."""
    losses: tuple[float, ...]
    """For each rate, the loss that is read before the last epoch's step: `Run.losses[-1]`."""
    finite: tuple[bool, ...]
    """For each rate, whether the loss was finite in every epoch."""
    learns: bool
    """Whether any parameter is connected to the loss; where none is, every loss is the first."""

    @property
    def diverged(self) -> tuple[bool, ...]:
        """For each rate, whether some epoch's loss was not finite or the last one lies above the first."""
        most = _but_for_rounding(self.first)
        return tuple(not finite or loss > most for finite, loss in zip(self.finite, self.losses, strict=True))

    @property
    def edge(self) -> tuple[float, float] | None:
        """The largest rate up to which nothing diverges (0 if there is none), and the next, which does; or None."""
        bounds = pairwise((0.0, *self.rates))
        return next((between for between, gone in zip(bounds, self.diverged, strict=True) if gone), None)

    @property
    def best(self) -> tuple[float, float]:
        """The rate with the lowest final loss, the smallest of those that are equal but for rounding, and its loss."""
        ended = [
            pair for pair, f in zip(zip(self.rates, self.losses, strict=True), self.finite, strict=True) if f
        ]
        most = _but_for_rounding(min((loss for _, loss in ended), default=math.nan))
        return next((pair for pair in ended if pair[1] <= most), (self.rates[0], self.losses[0]))


def _but_for_rounding(loss: float) -> float:
    """The largest loss that may be this one but for rounding."""
    return loss + ROUNDING * abs(loss)


@dataclass(frozen=True)
class Sweep:
    """Both twins over many learning rates. The learning rate of `settings` itself plays no part."""

    settings: Settings
    attached: Curve
    detached: Curve

    @property
    def curves(self) -> tuple[Curve, Curve]:
        """Both twins, the one without the detach first."""
        return self.attached, self.detached

    @property
    def rates(self) -> tuple[float, ...]:
        """The rates, from the smallest up."""
        return self.attached.rates

    @property
    def nbytes(self) -> int:
        """About how much memory the sweep holds, in bytes."""
        return 150 * len(self.rates)


def default_rates(count: int = COUNT) -> tuple[float, ...]:
    """So many rates over all that is allowed, evenly spaced on a log scale."""
    lowest, highest = LEARNING_RATE
    inner = np.geomspace(lowest, highest, count)[1:-1].tolist()
    return (lowest, *inner, highest)


def refusal(settings: Settings) -> str | None:
    """Why these settings cannot be swept, in one sentence, or None: the one place that decides it."""
    script = script_of(settings)
    if script.own_optimizers:
        return "A sweep needs one loss and one optimizer, and this experiment's step moves the parameters itself."
    if script.told_the_epoch:
        return (
            "A sweep writes the step out once for all epochs, and this experiment's model is told the epoch."
        )
    optimizer = _optimizer(settings)
    kind: Any = type(optimizer)
    if kind not in _RULES:
        return f"A sweep knows torch's SGD and Adam, and this run is trained by {kind.__name__}."
    usual = kind([torch.zeros(1)]).defaults
    changed = {option for option, value in optimizer.defaults.items() if value != usual[option]}
    if beyond := sorted(changed - _OPTIONS):
        return f"A sweep knows {kind.__name__} without {' and '.join(beyond)}, and this run has it."
    return _cannot_be_written(settings.changed(epochs=1, learning_rate=LEARNING_RATE[0], seed=0))


@lru_cache(maxsize=256)
def _cannot_be_written(settings: Settings) -> str | None:
    """Why the step cannot be written out for all rates at once (it changes a buffer, or asks for a number), by trying."""
    try:
        with plain_torch():
            _curve(settings, script_of(settings), False, LEARNING_RATE, None)
    except SweepError as refused:
        return str(refused)
    return None


def sweep(
    settings: Settings, rates: Sequence[float] | None = None, progress: Progress | None = None
) -> Sweep:
    """Both twins at every rate. `rates` increase; what `progress` raises stops the sweep.

    Raises `SettingsError` for a rate that is not allowed, and `SweepError` where `refusal` says so or the step
    cannot be written out once for all rates.
    """
    if not isinstance(settings, Settings):
        raise TypeError(f"sweep: got {settings!r}, expected Settings, such as sweep(Settings()).")
    chosen = default_rates() if rates is None else _checked(rates)
    attached = sweep_one(settings, False, chosen, progress)
    return Sweep(settings, attached, sweep_one(settings, True, chosen, progress))


def sweep_one(
    settings: Settings, detached: bool, rates: tuple[float, ...], progress: Progress | None = None
) -> Curve:
    """One of the twins at every rate, which `progress` hears of as half of a sweep. Raises `SweepError`."""
    if said := refusal(settings):
        raise SweepError(said)
    with plain_torch():
        return _curve(settings, script_of(settings), detached, rates, progress)


def exact_edge(settings: Settings) -> float | None:
    """2 / the largest eigenvalue of the Hessian of the loss without the detach, in float64.

    None but for plain gradient descent on a loss that is quadratic in the parameters. Whether it is one is measured:
    its gradient has to be affine along a line, and its Hessian the same at two points.
    """
    optimizer = _optimizer(settings)
    if refusal(settings) or not isinstance(optimizer, torch.optim.SGD) or optimizer.defaults["momentum"]:
        return None
    script = script_of(settings)
    with plain_torch():
        model, data = start_model(settings).double(), _doubled(script.make_data(settings.seed))
        names = connected(model, script.step_without_detach, data)
        if not names:
            return None
        start = [parameter.detach() for name, parameter in model.named_parameters() if name in names]
        loss = loss_of(model, script.step_without_detach, data, names)

        def at(flat: Tensor) -> Tensor:
            parts = flat.split([value.numel() for value in start])
            return loss(*(part.view_as(value) for part, value in zip(parts, start, strict=True)))

        here = torch.cat([value.reshape(-1) for value in start])
        way = torch.linspace(-1, 1, len(here), dtype=here.dtype)
        points = [here, here + way, here + 2 * way]
        one, two, three = (torch.func.grad(at)(point) for point in points)
        if not _equal(two - one, three - two):  # told at once, where Hessians would take a while
            return None
        hessian, other = (torch.autograd.functional.hessian(at, point) for point in points[:2])
    if not _equal(hessian, other):
        return None
    largest = float(torch.linalg.eigvalsh(hessian)[-1])
    return 2 / largest if largest > 0 else None


def _equal(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=0, atol=1e-9 * float(one.abs().max()))


def _checked(rates: Sequence[float]) -> tuple[float, ...]:
    chosen = tuple(number("rates", rate, LEARNING_RATE) for rate in rates)
    if not chosen or any(one >= other for one, other in pairwise(chosen)):
        raise SettingsError("rates", rates, "one or more rates that increase")
    return chosen


def _curve(
    settings: Settings, script: Script, detached: bool, rates: tuple[float, ...], progress: Progress | None
) -> Curve:
    epochs, model, data = settings.epochs, start_model(settings), script.make_data(settings.seed)
    step = script.step(detached)
    names = connected(model, step, data)
    if not names:
        first = float(step(model, data)[0])
        if progress is not None:
            progress(epochs + detached * epochs, 2 * epochs)
        return Curve(
            detached, rates, first, (first,) * len(rates), (math.isfinite(first),) * len(rates), False
        )
    try:
        written = write_out(model, step, data, names, len(rates))
    except Unbatchable as refused:
        raise SweepError(
            f"“{settings.described().title}” cannot be swept: its step cannot be written out once for all rates."
        ) from refused
    losses: list[Tensor] = []
    with torch.inference_mode():
        named = dict(model.named_parameters())
        stacked = [named[name].expand(len(rates), *named[name].shape).clone() for name in names]
        update, replay = _update(settings, stacked, rates), written.bind(stacked)
        for epoch in range(1, epochs + 1):
            gradients, loss = replay()
            losses.append(loss)
            if epoch < epochs:
                update(gradients)
            if progress is not None:
                progress(epoch + detached * epochs, 2 * epochs)
        every = torch.stack(losses)
    return Curve(
        detached,
        rates,
        float(every[0, 0]),
        tuple(every[-1].tolist()),
        tuple(every.isfinite().all(dim=0).tolist()),
        True,
    )


def _optimizer(settings: Settings) -> torch.optim.Optimizer:
    """An optimizer as the run has it, over a parameter that nobody needs: it is asked for its kind and options."""
    return maker(settings.optimizer, settings.learning_rate)([torch.nn.Parameter(torch.zeros(1))])


def _doubled(data: Any) -> Any:
    """The experiment's data in float64."""
    return type(data)(*(t.double() if t.is_floating_point() else t for t in data))


Update = Callable[[list[Tensor]], None]
"""Changes the stacked parameters in place, given their gradients."""


def _update(settings: Settings, parameters: list[Tensor], rates: tuple[float, ...]) -> Update:
    optimizer = _optimizer(settings)
    down = -torch.tensor(rates, dtype=torch.float64)
    return _RULES[type(optimizer)](optimizer.defaults, parameters, down)


def _rows(values: Tensor, parameters: list[Tensor]) -> list[Tensor]:
    """A float32 number for each rate, in a shape that goes with each of the parameters."""
    return [values.to(p.dtype).view(-1, *[1] * (p.ndim - 1)) for p in parameters]


def _sgd(options: dict[str, Any], parameters: list[Tensor], down: Tensor) -> Update:
    """`torch.optim.SGD`, with or without momentum."""
    momentum, steps = options["momentum"], _rows(down, parameters)
    buffers = [torch.zeros_like(p) for p in parameters]

    def plain(gradients: list[Tensor]) -> None:
        torch._foreach_addcmul_(parameters, gradients, steps)

    def with_momentum(gradients: list[Tensor]) -> None:
        torch._foreach_mul_(buffers, momentum)
        torch._foreach_add_(buffers, gradients)
        torch._foreach_addcmul_(parameters, buffers, steps)

    return with_momentum if momentum else plain


def _adam(options: dict[str, Any], parameters: list[Tensor], down: Tensor) -> Update:
    """`torch.optim.Adam`, the operations in the order of its loop over single tensors."""
    (beta1, beta2), eps = options["betas"], options["eps"]
    means, squares = ([torch.zeros_like(p) for p in parameters] for _ in range(2))
    done = 0

    def update(gradients: list[Tensor]) -> None:
        nonlocal done
        done += 1
        steps = _rows(down / (1 - beta1**done), parameters)
        torch._foreach_lerp_(means, gradients, 1 - beta1)
        torch._foreach_mul_(squares, beta2)
        torch._foreach_addcmul_(squares, gradients, gradients, value=1 - beta2)
        below = torch._foreach_sqrt(squares)
        torch._foreach_div_(below, (1 - beta2**done) ** 0.5)
        torch._foreach_add_(below, eps)
        torch._foreach_addcdiv_(parameters, torch._foreach_mul(means, steps), below)

    return update


_RULES: dict[type, Callable[[dict[str, Any], list[Tensor], Tensor], Update]] = {
    torch.optim.SGD: _sgd,
    torch.optim.Adam: _adam,
}
_OPTIONS = {"lr", "momentum", "betas", "eps"}
"""What the rules read; any other option has to be as torch has it."""
