"""The results that pages ask for again and again, each computed once for everybody.

Training is let in one at a time: threads that train together fight over the interpreter's lock and all of them
end later. A caller that waits, or trains, hears of it through its own callback, which can also stop it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from engine.cache import Cache
from engine.recorder import StepRecord
from engine.recording import Weights, record
from engine.settings import LEARNING_RATE, Settings
from engine.sweep import Sweep, sweep
from engine.trace import Trace
from engine.training import Progress, train
from engine.verdicts import Verdict, judge

CAPACITY = 48 * 2**20
"""What all kept traces may weigh together, in bytes."""
RECORDS_CAPACITY = 8 * 2**20
"""What all kept records may weigh: a step is recorded anew in milliseconds."""
SWEEPS_CAPACITY = 4 * 2**20
"""What all kept sweeps may weigh: about a hundred of them."""

Value = TypeVar("Value")


@dataclass(frozen=True)
class RecordKey:
    """One recorded step of an experiment: the run, the epoch, with or without the detach, and whose weights."""

    settings: Settings
    epoch: int
    detached: bool
    weights: Weights


def _weigh(step: StepRecord) -> int:
    """About how much memory a record holds, in bytes."""
    arrays = [array for stage in step.stages for array in (stage.output.values, stage.gradient)]
    arrays += [array for parameter in step.parameters for array in (parameter.value, parameter.gradient)]
    return sum(array.nbytes for array in arrays if array is not None) + 2_000 * len(step.stages)


traces: Cache[Settings, Trace] = Cache(CAPACITY, lambda trace: trace.nbytes)
records: Cache[RecordKey, StepRecord] = Cache(RECORDS_CAPACITY, _weigh)
verdicts: Cache[Settings, Verdict] = Cache(2_000, lambda verdict: 1)
sweeps: Cache[Settings, Sweep] = Cache(SWEEPS_CAPACITY, lambda sweep: sweep.nbytes)
_one_at_a_time = threading.Semaphore(1)


def trace_of(
    settings: Settings, progress: Progress | None = None, waiting: Callable[[], None] = lambda: None
) -> Trace:
    """The twin run of these settings. What `progress` or `waiting` raises stops it, and nothing is kept."""
    return traces.get(settings, lambda: _in_turn(lambda: train(settings, progress), waiting), waiting)


def sweep_of(
    settings: Settings, progress: Progress | None = None, waiting: Callable[[], None] = lambda: None
) -> Sweep:
    """The sweep of these settings, the same at whatever learning rate they stand. Stopped as `trace_of` is."""
    key = swept(settings)
    return sweeps.get(key, lambda: _in_turn(lambda: sweep(key, progress=progress), waiting), waiting)


def swept(settings: Settings) -> Settings:
    """The settings that a sweep of these is kept under: their own learning rate plays no part."""
    return settings.changed(learning_rate=LEARNING_RATE[0])


def _in_turn(compute: Callable[[], Value], waiting: Callable[[], None]) -> Value:
    """What `compute` gives, once no other caller trains."""
    while not _one_at_a_time.acquire(timeout=0.05):
        waiting()
    try:
        return compute()
    finally:
        _one_at_a_time.release()


def verdict_of(trace: Trace) -> Verdict:
    """The verdict on a twin run."""
    return verdicts.get(trace.settings, lambda: judge(trace))


def record_of(key: RecordKey) -> StepRecord:
    """The recorded step of that key; the run it belongs to comes from `trace_of`."""
    trace = trace_of(key.settings)
    return records.get(
        key,
        lambda: record(
            key.settings, epoch=key.epoch, detached=key.detached, weights=key.weights, trace=trace
        ),
    )
