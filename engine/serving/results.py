"""The results that pages ask for again and again, each computed once for everybody.

All of it is let in one at a time, in a fair order (see `gate`). A caller that waits hears through its own callback
how many go first (0: another caller is computing the very same), one that trains hears how far it is; what a callback
raises stops it. `owner` says whose computation it is, such as a visitor's session.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

from ..evidence.finite_differences import Comparison, compare
from ..evidence.loss_summands import Summand, summands
from ..evidence.seeds import OverSeeds, first_seed, over_seeds
from ..evidence.sweep import Sweep, sweep
from ..evidence.verdicts import Verdict, judge
from ..recorder import StepRecord
from ..settings import LEARNING_RATE, OPTIMIZERS, Settings
from ..twins.film import Film, film
from ..twins.recorded_step import Weights, record
from ..twins.trace import Trace
from ..twins.training import Progress, train
from .cache import Cache
from .fair_queue import Gate

CAPACITY = 48 * 2**20
"""What all kept traces may weigh together, in bytes."""
RECORDS_CAPACITY = 8 * 2**20
"""What all kept records may weigh: a step is recorded anew in milliseconds."""
FILMS_CAPACITY = 48 * 2**20
"""What all kept films may weigh."""
COMPARISONS_CAPACITY = 2 * 2**20
"""What all kept comparisons with finite differences may weigh."""
SWEEPS_CAPACITY = 4 * 2**20
"""What all kept sweeps may weigh: about a hundred of them."""

Value = TypeVar("Value")
Waiting = Callable[[int], None]
"""Called with the number of computations that go first."""


def _silent(ahead: int) -> None:
    """Tells nobody."""


@dataclass(frozen=True)
class RecordKey:
    """One recorded step of an experiment: the run, the epoch, with or without the detach, and whose weights."""

    settings: Settings
    epoch: int
    detached: bool
    weights: Weights


@dataclass(frozen=True)
class ComparisonKey:
    """Autograd beside finite differences: the run, the parameter, the epoch, with or without the detach."""

    settings: Settings
    parameter: str
    epoch: int
    detached: bool


def _weigh(step: StepRecord) -> int:
    """About how much memory a record holds, in bytes."""
    arrays = [array for stage in step.stages for array in (stage.output.values, stage.gradient)]
    arrays += [array for parameter in step.parameters for array in (parameter.value, parameter.gradient)]
    return sum(array.nbytes for array in arrays if array is not None) + 2_000 * len(step.stages)


traces: Cache[Settings, Trace] = Cache(CAPACITY, lambda trace: trace.nbytes)
records: Cache[RecordKey, StepRecord] = Cache(RECORDS_CAPACITY, _weigh)
films: Cache[Settings, Film] = Cache(FILMS_CAPACITY, lambda found: found.nbytes)
verdicts: Cache[Settings, Verdict] = Cache(2_000, lambda verdict: 1)
comparisons: Cache[ComparisonKey, Comparison] = Cache(COMPARISONS_CAPACITY, lambda found: found.nbytes)
sums: Cache[Settings, tuple[tuple[Summand, Summand], ...]] = Cache(500, lambda pairs: 1)
seeds: Cache[Settings, OverSeeds] = Cache(500, lambda found: 1)
sweeps: Cache[Settings, Sweep] = Cache(SWEEPS_CAPACITY, lambda sweep: sweep.nbytes)
_gate = Gate()


def trace_of(
    settings: Settings, progress: Progress | None = None, waiting: Waiting = _silent, owner: Hashable = None
) -> Trace:
    """The twin run of these settings. What `progress` or `waiting` raises stops it, and nothing is kept.

    Raises `TooMuchWaiting` where the owner has enough waiting already.
    """
    return traces.get(
        settings, lambda: _in_turn(lambda: train(settings, progress), waiting, owner), lambda: waiting(0)
    )


def sweep_of(
    settings: Settings, progress: Progress | None = None, waiting: Waiting = _silent, owner: Hashable = None
) -> Sweep:
    """The sweep of these settings, the same at whatever learning rate they stand. Waits and stops as `trace_of` does."""
    key = swept(settings)
    return sweeps.get(
        key, lambda: _in_turn(lambda: sweep(key, progress=progress), waiting, owner), lambda: waiting(0)
    )


def swept(settings: Settings) -> Settings:
    """The settings that a sweep of these is kept under: their own learning rate plays no part."""
    return settings.changed(learning_rate=LEARNING_RATE[0])


def seeds_of(
    settings: Settings, progress: Progress | None = None, waiting: Waiting = _silent, owner: Hashable = None
) -> OverSeeds:
    """Both twins over several seeds, the same at whatever seed the settings stand. Waits and stops as `trace_of` does."""
    key = first_seed(settings)
    return seeds.get(
        key, lambda: _in_turn(lambda: over_seeds(key, progress), waiting, owner), lambda: waiting(0)
    )


def _in_turn(compute: Callable[[], Value], waiting: Waiting, owner: Hashable) -> Value:
    """What `compute` gives, once it is this owner's turn."""
    with _gate.entered(owner, waiting):
        return compute()


def verdict_of(trace: Trace, waiting: Waiting = _silent, owner: Hashable = None) -> Verdict:
    """The verdict on a twin run. Waits as `trace_of` does."""
    return verdicts.get(trace.settings, lambda: _in_turn(lambda: judge(trace), waiting, owner))


def summands_of(settings: Settings) -> tuple[tuple[Summand, Summand], ...]:
    """Each term of the loss without and with the detach, at the start weights; none where the loss is no sum."""
    key = settings.changed(epochs=1, learning_rate=LEARNING_RATE[0], optimizer=OPTIMIZERS[0])

    def compute() -> tuple[tuple[Summand, Summand], ...]:
        try:
            pairs = tuple(zip(summands(key, False), summands(key, True), strict=True))
        except ValueError:
            return ()
        return pairs if len(pairs) > 1 else ()

    return sums.get(key, compute)


def record_of(key: RecordKey, waiting: Waiting = _silent, owner: Hashable = None) -> StepRecord:
    """The recorded step of that key; the run it belongs to comes from `trace_of`. Waits as `trace_of` does."""
    trace = trace_of(key.settings, None, waiting, owner)

    def compute() -> StepRecord:
        return record(key.settings, epoch=key.epoch, detached=key.detached, weights=key.weights, trace=trace)

    return records.get(key, lambda: _in_turn(compute, waiting, owner))


def film_of(
    trace: Trace, progress: Progress | None = None, waiting: Waiting = _silent, owner: Hashable = None
) -> Film:
    """The film of a twin run. Waits and stops as `trace_of` does."""
    return films.get(
        trace.settings, lambda: _in_turn(lambda: film(trace, progress), waiting, owner), lambda: waiting(0)
    )


def comparison_of(key: ComparisonKey, waiting: Waiting = _silent, owner: Hashable = None) -> Comparison:
    """Autograd beside finite differences for that key; its run comes from `trace_of`. Waits as that does."""
    trace = trace_of(key.settings, None, waiting, owner)

    def compute() -> Comparison:
        return compare(key.settings, key.parameter, key.epoch, key.detached, trace=trace)

    return comparisons.get(key, lambda: _in_turn(compute, waiting, owner))
