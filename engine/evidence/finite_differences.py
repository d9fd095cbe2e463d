"""Finite differences beside autograd: where the two part, a gradient is cut.

    from .. import Settings
    from .finite_differences import compare

    print(compare(Settings(), "linear.weight", epoch=4).sentence)

A central difference (L(p + h) - L(p - h)) / 2h sees only values, and a detach or `no_grad` leaves values alone: it sees
through them. Autograd follows the graph and stops there. Both are taken in float64, at the weights that the run without
the detach has at the start of an epoch. L is the step's loss; where a step backpropagates several losses by optimizers of its
own, L is their sum, all at the same weights: its optimizers are replaced by ones that do nothing.

h is 1e-5 * max(1, |p|). A loss that jumps (`round`, the nearest entry of a codebook) or bends (`relu` at 0) within h of p
has another difference than slope there, and where it does so at p itself, no number is its slope and both sides can be
anything. So where the two part, the difference is taken again with h / 100, at the 50 elements that part most; where that
gives another slope it is the one that is kept, and where it still parts from autograd's the element is counted.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ..settings import Settings, SettingsError, one_of, whole_number
from ..text import first_line, number_text
from ..twins.experiment_script import script_of
from ..twins.recorded_step import model_at
from ..twins.trace import Trace
from ..twins.training import plain_torch, train

Doubles = NDArray[np.float64]

STEP = 1e-5
"""The step size h, for a weight between -1 and 1; for a larger one its share of the weight."""
RELATIVE, ABSOLUTE = 1e-6, 1e-9
"""Slopes part that differ by more than this share of the parameter's largest one, plus this share of the loss or of 1."""
MOST = 200
"""As many elements of a parameter are differenced, the first ones."""
LOOKED_AGAIN, CLOSER = 50, 0.01
"""At as many elements, those that part most, a second step size is tried, this share of the first."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """The two gradients of one parameter, and where they part. Arrays are read-only and in the parameter's own shape; of
    a parameter with more than 200 elements they are the first 200, flat."""

    parameter: str
    shape: tuple[int, ...]
    detached: bool
    losses: tuple[float, ...]
    """The losses whose sum is differentiated."""
    autograd: Doubles | None
    """None where no gradient came."""
    differences: Doubles | None
    """None where the step itself raises, so that there is no loss."""
    refused: str | None
    """The first line of what `backward()`, or the step itself, raised, word for word."""
    tolerance: float
    """Two slopes that differ by more than this have parted."""
    largest_difference: float
    """Between the two, None counting as 0."""
    parted: int
    """Elements that have parted."""
    unsettled: int
    """Those of them at which a step a hundred times smaller gives yet another slope."""
    sentence: str
    """What came of it, in Markdown."""

    @property
    def size(self) -> int:
        """The elements of the parameter."""
        return math.prod(self.shape)

    @property
    def compared(self) -> int:
        """The elements that were differenced."""
        return min(self.size, MOST)

    @property
    def share(self) -> float:
        """The share of the compared elements that have parted, 0 to 1."""
        return self.parted / self.compared

    @property
    def nbytes(self) -> int:
        """About how much memory it holds, in bytes."""
        arrays = (self.autograd, self.differences)
        return 1_000 + sum(array.nbytes for array in arrays if array is not None)


def compare(
    settings: Settings, parameter: str, epoch: int = 1, detached: bool = True, trace: Trace | None = None
) -> Comparison:
    """Autograd and finite differences for one parameter, in the step of `epoch` with or without the detach.

    Raises `SettingsError` for a parameter or an epoch that the run does not have.
    """
    whole_number("epoch", epoch, (1, settings.epochs))
    found = trace or train(settings)
    if found.settings != settings:
        raise SettingsError("trace", found.settings, "the trace of the same settings")
    one_of("parameter", parameter, tuple(p.name for p in found.attached.parameters))
    with plain_torch(), np.errstate(invalid="ignore"):
        return _compare(_Function(settings, found, parameter, epoch, detached))


def _compare(function: _Function) -> Comparison:
    gradient, losses, refused = function.gradient()
    count = min(math.prod(function.shape), MOST)
    differences, apart, tolerance = None, np.zeros(count), 0.0
    parted = unsettled = 0
    try:
        losses = losses or function.losses()
        differences = function.differences(range(count))
    except RuntimeError as refusal:
        refused = first_line(refusal)
    if differences is not None:
        known = np.zeros(count) if gradient is None else gradient
        apart = np.abs(known - differences)
        tolerance = RELATIVE * float(max(np.abs(known).max(), np.abs(differences).max()))
        tolerance += ABSOLUTE * max(1.0, abs(sum(losses)))
        where = np.argsort(-apart)[: min(int((apart > tolerance).sum()), LOOKED_AGAIN)]
        closer = function.differences(where, CLOSER)
        bent = where[np.abs(closer - differences[where]) > 10 * tolerance]  # a smaller step rounds more
        differences[bent] = closer[np.isin(where, bent)]
        apart[bent] = np.abs(known - differences)[bent]
        parts = apart > np.where(np.isin(np.arange(count), bent), 10, 1) * tolerance
        parted, unsettled = int(parts.sum()), int(parts[bent].sum())
    shown = function.shape if math.prod(function.shape) <= MOST else (count,)
    outcome = Comparison(
        parameter=function.name,
        shape=function.shape,
        detached=function.detached,
        losses=tuple(losses),
        autograd=_kept(gradient, shown),
        differences=_kept(differences, shown),
        refused=refused,
        tolerance=tolerance,
        largest_difference=float(apart.max()),
        parted=parted,
        unsettled=unsettled,
        sentence="",
    )
    return replace(outcome, sentence=_sentence(outcome))


def _kept(values: Doubles | None, shape: tuple[int, ...]) -> Doubles | None:
    if values is not None:
        values = values.reshape(shape)
        values.setflags(write=False)
    return values


class _Function:
    """The step's losses as a function of one parameter, in float64. Each run starts from a copy of the same start."""

    def __init__(self, settings: Settings, trace: Trace, name: str, epoch: int, detached: bool) -> None:
        self.name, self.detached = name, detached
        self._script = script_of(settings)
        model = model_at(settings, trace.attached, epoch)
        self._start = _doubled(model), _doubled(self._script.make_data(settings.seed))
        self._values = self._start[0].get_parameter(name).flatten().tolist()
        self.shape = tuple(self._start[0].get_parameter(name).shape)
        self._send_back = False

    def gradient(self) -> tuple[Doubles | None, list[float], str | None]:
        """What autograd brings to the first elements, the losses, and the first line of what it raised."""
        try:
            parameter, seen = self._run(send_back=True)
        except RuntimeError as refusal:
            return None, [], first_line(refusal)
        # The differences need the losses alone, unless the step itself looks at what came back.
        self._send_back = seen.gradients_read
        came = None if parameter.grad is None else parameter.grad.flatten()[:MOST].numpy().copy()
        return came, seen.losses, None

    def losses(self) -> list[float]:
        """The losses, whether or not they can be backpropagated."""
        return self._run(send_back=False)[1].losses

    def differences(self, indices: Iterable[int], shrink: float = 1.0) -> Doubles:
        """The central differences at those elements, with the step size times `shrink`."""
        found = []
        for index in indices:
            h = shrink * STEP * max(1.0, abs(self._values[index]))
            up, down = (sum(self._run(index, move, send_back=self._send_back)[1].losses) for move in (h, -h))
            found.append((up - down) / (2 * h))
        return np.array(found)

    def _run(self, index: int = 0, move: float = 0.0, *, send_back: bool) -> tuple[nn.Parameter, _Losses]:
        """The parameter and the losses after one step that started with its element `index` moved."""
        model, data = copy.deepcopy(self._start)
        parameter = model.get_parameter(self.name)
        parameter.data.view(-1)[index] += move
        if self._start[0].get_parameter(self.name).grad is not None:  # which a deep copy leaves behind
            parameter.grad = torch.zeros_like(parameter)
        step, make_optimizers = self._script.step(self.detached), self._script.make_optimizers
        with _Losses(send_back) as seen:
            if make_optimizers is None:
                loss, _ = step(model, data)
                loss.backward()
            else:
                step(model, data, make_optimizers(model, _Still))
        return parameter, seen


class _Losses(TorchFunctionMode):
    """Notes each loss that is backpropagated, and makes float64 of what a step itself makes in float32."""

    def __init__(self, send_back: bool) -> None:
        super().__init__()
        self._send_back = send_back
        self.losses: list[float] = []
        self.gradients_read = False

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is Tensor.backward:
            self.losses.append(args[0].item())
            if not self._send_back:
                return None
        elif getattr(func, "__self__", None) is Tensor.grad:
            self.gradients_read = True
        made = func(*args, **(kwargs or {}))
        return made.double() if isinstance(made, Tensor) and made.dtype is torch.float32 else made


class _Still(torch.optim.Optimizer):
    """An optimizer that lets the weights be, and the gradients add up."""

    def __init__(self, parameters: Iterable[nn.Parameter]) -> None:
        super().__init__(parameters, {"lr": 0.0})

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Keeps them; where they are zeros, None can be put in their place as asked."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if set_to_none and parameter.grad is not None and not parameter.grad.any():
                    parameter.grad = None

    def step(self, closure: object = None) -> None:  # type: ignore[override]
        """Moves nothing."""


def _doubled(value: Any) -> Any:
    """A model, or data, with all that is float32 in it made float64."""
    if isinstance(value, Tensor):
        return value.double() if value.dtype is torch.float32 else value
    if isinstance(value, nn.Module):
        for module in value.double().modules():
            vars(module).update(
                {name: _doubled(kept) for name, kept in vars(module).items() if name[0] != "_"}
            )
    if isinstance(value, tuple):
        made = [_doubled(each) for each in value]
        return value._make(made) if hasattr(value, "_make") else tuple(made)
    if isinstance(value, list):
        return [_doubled(each) for each in value]
    return {key: _doubled(each) for key, each in value.items()} if isinstance(value, dict) else value


def _sentence(c: Comparison) -> str:
    """What came of a comparison."""
    if c.differences is None:
        return f"The step itself raises, so there is no loss to compare by: “{c.refused}”"
    if not (np.isfinite(c.differences).all() and (c.autograd is None or np.isfinite(c.autograd).all())):
        return "The run without the detach has diverged by this epoch: there is no slope left to compare."
    name, loss = f"`{c.parameter}`", "the loss"
    if len(c.losses) > 1:
        loss = f"the sum of the step's {len(c.losses)} losses"
    elements = f"all {c.size} elements" if c.size > 1 else "its one element"
    if c.compared < c.size:
        elements = f"the first {c.compared} of its {c.size} elements"
    slope, came = _largest(c.differences), _largest(c.autograd)
    flat = slope <= c.tolerance
    if c.autograd is None:
        none = (
            f"Autograd raises an error: “{c.refused}”."
            if c.refused
            else f"Autograd brings no gradient to {name}."
        )
        if flat:
            said = f"{none} Nor does {loss} change with it: the differences are 0 at {elements}."
        else:
            seen = "" if c.refused else ": the differences see through the cut"
            said = f"{none} Yet {loss} does change with {name}, by slopes up to {number_text(slope)}{seen}."
    elif c.parted and not came:
        said = (
            f"Autograd brings only zeros to {name}. Yet {loss} does change with {name}, by slopes up to {number_text(slope)}: the "
            "differences see through the cut."
        )
    elif c.parted and flat:
        said = (
            f"By the differences, {loss} does not change with {name}: they are 0 at {elements}. Yet autograd brings "
            f"gradients up to {number_text(came)}: a cut takes away one part of the slope, and what is left is no slope of this loss."
        )
    elif c.parted:
        said = (
            f"Autograd and the differences part at {c.parted} of {elements.removeprefix('all ')} of {name}, by up to "
            f"{number_text(c.largest_difference)}: {loss} also changes by ways that autograd does not follow."
        )
    else:
        said = f"Autograd and the differences agree at {elements} of {name}, but for rounding."
        said += (
            f" {loss[0].upper()}{loss[1:]} is flat here."
            if flat and came <= c.tolerance
            else " Nothing is cut off."
        )
    if c.unsettled:
        said += f" At {c.unsettled} of them a step a hundred times smaller gives another slope, which is shown: the loss jumps or bends close by."
    return said


def _largest(values: Doubles | None) -> float:
    return 0.0 if values is None else float(np.abs(values).max())
