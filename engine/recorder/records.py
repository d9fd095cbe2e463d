"""What a recorded step is made of: frozen, plain, and free of the tensors it was read from.

Nothing here computes. `record` fills these classes, the pages and the command line show them.
Every array is read-only and backed by bytes, so no holder of a record can change another's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]

GradientState = Literal["value", "zero", "none"]
ParameterState = Literal["gradient", "none", "zero", "not_retained"]


@dataclass(frozen=True)
class Location:
    """A line of the reader's own code: never one inside torch or inside this engine."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class TensorRecord:
    """One tensor as it was right after the call that made it.

    `values` is None where the tensor is larger than the recorder was asked to keep; the statistics stay.
    """

    name: str
    """The name of the reader's variable, or "" where none is known."""
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    grad_fn: str | None
    is_leaf: bool
    values: Array | None
    minimum: float | None
    maximum: float | None
    mean: float | None


@dataclass(frozen=True)
class Stage:
    """One call of the step, in order, or (with `operation` "input") one tensor that the step started from."""

    index: int
    operation: str
    """"input", or torch's name of the call: "linear", "detach", "mse_loss"."""
    module: str
    """The module whose forward made the call, such as "net.hidden_1", or ""."""
    inputs: tuple[int, ...]
    """The stages whose tensors came in; parameters are not stages and stand in `parameters`."""
    parameters: tuple[str, ...]
    """The names of the parameters that came in, such as "net.weight"."""
    output: TensorRecord
    shares_storage_with: int | None
    """The index of the stage whose memory the output shares, or None."""
    gradient: Array | None
    """d loss / d output as autograd sent it back, same shape as the output; None where none came."""
    gradient_state: GradientState
    location: Location | None


@dataclass(frozen=True)
class ParameterRecord:
    """One parameter or named leaf after `backward()`."""

    name: str
    shape: tuple[int, ...]
    state: ParameterState
    reason: str
    """One sentence: why it has its gradient, or why it has none."""
    location: Location | None
    """The line that starved it, where one did."""
    in_optimizer: bool
    value: Array | None
    gradient: Array | None


@dataclass(frozen=True)
class Cut:
    """A place where the path from a tracked tensor ends."""

    kind: str
    location: Location | None
    starved: tuple[str, ...]
    intended: bool
    stage: int | None
    """The index of the stage that is the cut, or None where the cut is no call of the step."""


@dataclass(frozen=True)
class Finding:
    """Something worth a warning, with what to write instead."""

    kind: str
    location: Location | None
    names: tuple[str, ...]
    text: str
    suggestion: str


@dataclass(frozen=True)
class Raised:
    """What the step or its `backward()` raised, word for word."""

    type: str
    message: str
    stage: Literal["step", "backward"]
    location: Location | None
