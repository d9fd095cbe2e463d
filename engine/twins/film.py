"""A twin run as a film: the recorded step of both twins at many of its epochs, as plain numbers.

Each epoch that is shown is recorded as `record` records one, with each twin's own weights, so a frame holds what a
step of that epoch really computes. What changes from epoch to epoch is only numbers; they lie in one array a twin,
a row an epoch, so that the whole film travels at once. Of a large tensor a corner is kept: the first rows and
columns, unchanged. A long run is thinned, and `Film.epochs` says which epochs are left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..recorder import StepRecord
from ..recorder.record import Array, ParameterRecord, Stage
from ..settings import Settings
from .plane import Plane, plane
from .recorded_step import Weights, record
from .replay import Start, gradient_of, matched, replay, wiring_of
from .trace import Floats, Run, Trace, frozen
from .training import train

MOST_FRAMES = 60
"""Epochs of which the step is recorded."""
MOST_NUMBERS = 150_000
"""Numbers in a whole film: 600 kB."""
ROWS, COLUMNS = 8, 8
"""The corner of a tensor that a film keeps."""
UNMEASURED = -1.0
"""The norm of a gradient that came and was too large to be kept."""
_WHOSE: tuple[Weights, Weights] = ("attached", "detached")


class Strip(NamedTuple):
    """Where the numbers of one tensor lie in a row of a reel: a corner of its values, of its gradient, and the norms.

    A gradient that did not come is nan throughout, its norm too; one of zeros has the norm 0.
    """

    shape: tuple[int, ...]
    rows: int
    columns: int
    start: int

    @property
    def cells(self) -> int:
        """How many elements of the tensor are kept."""
        return self.rows * self.columns

    @property
    def width(self) -> int:
        """How many numbers it takes: values, gradient, norm of the gradient."""
        return 2 * self.cells + 1


@dataclass(frozen=True)
class Strips:
    """How a row of a reel is parted: a strip for each stage of the recorded step, then one for each parameter."""

    stages: tuple[Strip, ...]
    parameters: tuple[Strip, ...]

    @classmethod
    def of(cls, step: StepRecord) -> Self:
        """Those of a step like this one."""
        start, found = 0, []
        tensors = [(stage.output.shape, stage.operation != "detach") for stage in step.stages]
        for shape, kept in (*tensors, *((parameter.shape, True) for parameter in step.parameters)):
            rows, columns = (
                corner(shape) if kept else (0, 0)
            )  # a detach has the values of what it was called on
            strip = Strip(shape, rows, columns, start)
            found.append(strip)
            start += strip.width
        return cls(tuple(found[: len(tensors)]), tuple(found[len(tensors) :]))

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return sum(strip.width for strip in (*self.stages, *self.parameters))


@dataclass(frozen=True, eq=False)
class Reel:
    """One twin: its step as it stands in `record`, and the numbers of every frame."""

    record: StepRecord
    """The step of the last epoch, which says all that is no number."""
    strips: Strips
    numbers: Floats
    """frames x width, read-only."""
    as_described: tuple[bool, ...]
    """For each frame whether its calls hang together as in `record`: some detach only from an epoch on."""


@dataclass(frozen=True, eq=False)
class Film:
    """Both twins at the same epochs."""

    epochs: tuple[int, ...]
    attached: Reel
    detached: Reel
    plane: Plane | None
    """Their answers as points, where they are."""

    @property
    def reels(self) -> tuple[Reel, Reel]:
        """Both twins, the one without the detach first."""
        return self.attached, self.detached

    @property
    def nbytes(self) -> int:
        """About how much memory the film holds, in bytes."""
        return sum(reel.numbers.nbytes + 4_000 * len(reel.strips.stages) for reel in self.reels)


def film(trace: Trace, progress: Callable[[int, int], None] | None = None) -> Film:
    """The film of a twin run; its steps are described as they are in the last epoch.

    `progress` is told the frames done and the frames in all; what it raises stops the recording.
    """
    epoch = trace.settings.epochs
    records = [_step(trace, epoch, which) for which in (False, True)]
    strips = [Strips.of(found) for found in records]
    width = sum(of_twin.width for of_twin in strips)
    epochs = chosen_epochs(trace.settings.epochs, min(MOST_FRAMES, max(1, MOST_NUMBERS // max(1, width))))
    reels = []
    for which, (described, parted) in enumerate(zip(records, strips, strict=True)):
        rows, alike = [], []
        last = _row(described, described, parted)
        replayed = _Replayed.proven(trace, bool(which), described, parted, last)
        for number, shown in enumerate(epochs, start=1):
            found = replayed.row(shown) if replayed is not None and shown != epoch else None
            if found is None:
                step = described if shown == epoch else _step(trace, shown, bool(which))
                found = _row(step, described, parted), _wiring(step) == _wiring(described)
            rows.append(found[0])
            alike.append(found[1])
            if progress is not None:
                progress(number + which * len(epochs), 2 * len(epochs))
        reels.append(Reel(described, parted, frozen(np.stack(rows)), tuple(alike)))
    attached, detached = reels
    return Film(epochs, attached, detached, plane(trace, epochs))


@dataclass(frozen=True, eq=False)
class _Replayed:
    """A twin whose frames are replays of its recorded step."""

    run: Run
    trace: Trace
    described: StepRecord
    strips: Strips
    last: NDArray[np.float32]
    start: Start
    worn: Start | None = None
    """One copy for all steps, where none of them leaves anything behind that the next would find."""
    wiring: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def proven(
        cls,
        trace: Trace,
        detached: bool,
        described: StepRecord,
        strips: Strips,
        last: NDArray[np.float32],
    ) -> Self | None:
        """None where a replay at the epoch of the recording does not give what was recorded, to the last bit."""
        run, epochs = trace.runs[detached], trace.settings.epochs
        made = cls(run, trace, described, strips, last, Start.of(trace.settings))
        found = made._numbers(epochs)
        if found is None or not np.array_equal(found[0], last, equal_nan=True):
            return None
        made = replace(made, wiring=found[1])
        worn = replace(made, worn=made.start.copied())
        worn._numbers(1)
        again = worn._numbers(epochs)
        as_new = again is not None and again[1] == found[1] and np.array_equal(again[0], last, equal_nan=True)
        return worn if as_new else made

    def row(self, epoch: int) -> tuple[NDArray[np.float32], bool] | None:
        """The numbers of an epoch, and whether its calls hang together alike; None where they are others."""
        found = self._numbers(epoch)
        return None if found is None else (found[0], found[1] == self.wiring)

    def _numbers(self, epoch: int) -> tuple[NDArray[np.float32], tuple[tuple[int, ...], ...]] | None:
        again = replay(self.trace, self.run, epoch, self.worn or self.start.copied())
        calls = matched(self.described.stages, again.calls)
        if calls is None or again.raised != (self.described.raised is not None):
            return None
        row = np.full(len(self.last), np.nan, dtype=np.float32)
        for strip, call in zip(self.strips.stages, calls, strict=True):
            if call is None:  # the data are the same in every epoch
                row[strip.start : strip.start + strip.width] = self.last[
                    strip.start : strip.start + strip.width
                ]
            elif strip.cells:
                gradient = None if call.gradient is None else call.gradient.numpy()
                _fill(row, strip, call.values, gradient, came=False)
        named = dict(again.model.named_parameters())
        for strip, parameter in zip(self.strips.parameters, self.described.parameters, strict=True):
            own = named.get(parameter.name)
            if own is None:
                return None
            _fill(row, strip, again.before[parameter.name], gradient_of(own), came=False)
        return row, wiring_of(calls)


def first_film(settings: Settings) -> tuple[Trace, Film]:
    """The first epoch alone: what a run starts from, at hand before it is trained."""
    trace = train(settings.changed(epochs=1))
    return trace, film(trace)


def still(steps: Sequence[StepRecord]) -> tuple[Reel, ...]:
    """Recorded steps as reels of a single frame each."""
    reels = []
    for step in steps:
        parted = Strips.of(step)
        reels.append(Reel(step, parted, frozen(_row(step, step, parted)[None]), (True,)))
    return tuple(reels)


def chosen_epochs(epochs: int, most: int) -> tuple[int, ...]:
    """At most so many of the epochs, spread evenly, the first and the last among them; closer together at the start.

    Training moves fastest at first, so half of the frames lie in the first quarter where not all can be shown.
    """
    if epochs <= most:
        return tuple(range(1, epochs + 1))
    spread = (np.linspace(0, 1, most) ** 1.6) * (epochs - 1) + 1
    found = sorted({round(place) for place in spread})
    return tuple(found)


def _step(trace: Trace, epoch: int, detached: bool) -> StepRecord:
    return record(trace.settings, epoch=epoch, detached=detached, weights=_WHOSE[detached], trace=trace)


def corner(shape: tuple[int, ...]) -> tuple[int, int]:
    """The rows and columns that are kept of a tensor of that shape, read as a matrix."""
    if not shape:
        return 1, 1
    rows = math.prod(shape[:-1])
    return min(rows, ROWS), min(shape[-1], COLUMNS)


def _row(step: StepRecord, described: StepRecord, strips: Strips) -> NDArray[np.float32]:
    """The numbers of one step; nan for what it lacks, where an epoch takes another way than the one described."""
    row = np.full(strips.width, np.nan, dtype=np.float32)
    taken = [stage for stage in step.stages if stage.operation != "detach"]
    planned = [
        (s, strip)
        for s, strip in zip(described.stages, strips.stages, strict=True)
        if s.operation != "detach"
    ]
    for stage, (expected_stage, strip) in zip(taken, planned, strict=False):
        if _alike(stage, expected_stage):
            _fill(row, strip, stage.output.values, stage.gradient, came=stage.gradient_state != "none")
    for strip, parameter, expected in zip(
        strips.parameters, step.parameters, described.parameters, strict=False
    ):
        if parameter.name == expected.name:
            _fill(row, strip, parameter.value, _gradient(parameter), came=_has_one(parameter))
    return row


def _wiring(step: StepRecord) -> list[tuple[str, tuple[int, ...]]]:
    return [(stage.operation, stage.inputs) for stage in step.stages]


def _alike(stage: Stage, planned: Stage) -> bool:
    return stage.operation == planned.operation and stage.output.shape == planned.output.shape


def _gradient(parameter: ParameterRecord) -> Array | None:
    return parameter.gradient if _has_one(parameter) else None


def _has_one(parameter: ParameterRecord) -> bool:
    return parameter.state in ("gradient", "zero")


def _fill(
    row: NDArray[np.float32], strip: Strip, values: Array | None, gradient: Array | None, *, came: bool
) -> None:
    for start, array in ((strip.start, values), (strip.start + strip.cells, gradient)):
        if array is not None and array.size and array.dtype.kind != "c":
            grid = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
            row[start : start + strip.cells] = grid[: strip.rows, : strip.columns].ravel()
    if gradient is not None:
        row[strip.start + 2 * strip.cells] = np.linalg.norm(gradient.astype(np.float64))
    elif came:
        row[strip.start + 2 * strip.cells] = UNMEASURED
