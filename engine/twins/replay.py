"""Runs a step that was recorded once again, for its numbers alone.

A recording looks at every call from all sides and takes milliseconds. For a film the same step is run at many epochs,
and only its numbers are another each time. So a replay keeps what each call gives and what gradient comes back to it,
and finds the recorded calls among its own by their names and shapes, in order. Whether it found the right ones is
proven before it is used: at the epoch of the recording it must give the recorded numbers, bit for bit. To copy the
model for each step takes about as long as a small step; whether one copy serves them all is proven in the same way.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ..recorder.record import Array, Stage
from ..settings import Settings
from .experiment_script import script_of
from .recorded_step import put_at
from .trace import Run, Trace
from .training import plain_torch, start_model


@dataclass(eq=False)
class Kept:
    """What one call gave."""

    name: str
    tensor: Tensor
    """Held so that no other tensor gets its id."""
    values: Array
    inputs: tuple[int, ...]
    """The earlier calls whose results it took, by their places in the step."""
    place: int = 0
    gradient: Tensor | None = None

    def came(self, gradient: Tensor) -> None:
        """Adds a gradient that came back."""
        self.gradient = gradient if self.gradient is None else self.gradient + gradient


@dataclass(eq=False)
class Replay:
    """One step: its calls in order, and the parameters afterwards."""

    calls: list[Kept]
    model: nn.Module
    raised: bool = False
    before: dict[str, Array] = field(default_factory=dict)
    """The parameters' values as the step began."""


class _Keeping(TorchFunctionMode):
    """Keeps what each call gives."""

    def __init__(self, calls: list[Kept], lasting: ExitStack) -> None:
        """`lasting` is closed once all gradients have come back."""
        super().__init__()
        self._calls, self._lasting = calls, lasting
        self._places: dict[int, int] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        tensor = _first(out)
        if tensor is not None and func.__name__ != "__get__":
            inputs = tuple(self._places[id(a)] for a in _flat(args) if id(a) in self._places)
            kept = Kept(func.__name__, tensor, tensor.detach().numpy().copy(), inputs, len(self._calls))
            if tensor.requires_grad:
                hook = tensor.register_hook(kept.came)
                if tensor.is_leaf:  # such as a parameter that an optimizer changes, which outlives the step
                    self._lasting.callback(hook.remove)
            self._places[id(tensor)] = len(self._calls)
            self._calls.append(kept)
        return out


@dataclass(frozen=True, eq=False)
class Start:
    """What the steps of a run start from, made once: to draw the start weights takes longer than a small step."""

    model: nn.Module
    data: Any

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Those of a run with these settings."""
        with plain_torch():
            return cls(start_model(settings), script_of(settings).make_data(settings.seed))

    def copied(self) -> Start:
        """The same once more: a step may change what it works on."""
        return Start(copy.deepcopy(self.model), copy.deepcopy(self.data))


def replay(trace: Trace, run: Run, epoch: int, start: Start) -> Replay:
    """The step of one twin at an epoch, with its own weights, on what the run starts from: that is used, not copied."""
    settings = trace.settings
    script = script_of(settings)
    with plain_torch(), ExitStack() as lasting:
        model, data, step = start.model, start.data, script.step(run.detached)
        put_at(model, settings, run, epoch)
        found = Replay([], model)
        found.before = {name: p.detach().numpy().copy() for name, p in model.named_parameters()}
        try:
            if script.make_optimizers is None:
                with _Keeping(found.calls, lasting):
                    loss, _ = step(model, data)
                loss.backward()
            else:
                still = script.make_optimizers(model, lambda parameters: torch.optim.SGD(parameters, lr=0.0))
                with _Keeping(found.calls, lasting):
                    step(model, data, still)
        except RuntimeError:
            found.raised = True
    return found


def matched(stages: Sequence[Stage], calls: Sequence[Kept]) -> list[Kept | None] | None:
    """For each recorded stage the call of the replay, None for an input; or None where one is not found."""
    found: list[Kept | None] = []
    place = 0
    for stage in stages:
        if stage.operation == "input":
            found.append(None)
            continue
        while place < len(calls) and not _is(calls[place], stage):
            place += 1
        if place == len(calls):
            return None
        found.append(calls[place])
        place += 1
    return found


def wiring_of(calls: Sequence[Kept | None]) -> tuple[tuple[int, ...], ...]:
    """How the recorded calls hang together: for each those of them that it takes."""
    number = {call.place: n for n, call in enumerate(calls) if call is not None}
    return tuple(
        () if call is None else tuple(number[place] for place in call.inputs if place in number)
        for call in calls
    )


def _is(call: Kept, stage: Stage) -> bool:
    return call.name == stage.operation and call.values.shape == stage.output.shape


def gradient_of(parameter: Tensor) -> Array | None:
    """A parameter's gradient as an array."""
    return None if parameter.grad is None else np.asarray(parameter.grad)


def _first(out: Any) -> Tensor | None:
    if isinstance(out, Tensor):
        return out
    if isinstance(out, (tuple, list)):
        return next((one for one in out if isinstance(one, Tensor)), None)
    return None


def _flat(args: Sequence[Any]) -> list[Any]:
    return [one for a in args for one in (a if isinstance(a, (tuple, list)) else (a,))]
