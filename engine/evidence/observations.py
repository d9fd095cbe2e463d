"""Says in words what a run shows: one sentence an epoch, and a few on the whole trace.

Every sentence is computed from the run's own figures. No sentence belongs to an epoch's number: which one an epoch
gets depends on the change of the loss since the epoch before, on the largest fall of the run, and on what follows.
All changes are given in the loss's own unit, so that they can be compared with each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from ..text import number_text
from ..twins.trace import Run, Trace

_ROUNDING = 1e-6
"""A change below this share of a loss can be rounding, which another processor does otherwise."""
_PLATEAU = 1e-4
"""A change of the loss below this share of the first loss counts as hardly any."""


def observe(run: Run) -> tuple[str, ...]:
    """One sentence for each epoch of a run."""
    falls = tuple(before - after for before, after in pairwise(run.losses))
    top = run.losses[0] + _ROUNDING * abs(run.losses[0])
    # A fall from above the first loss only makes good for a rise: it is no measure for those that learn.
    learned = (before - after for before, after in pairwise(run.losses) if before <= top)
    fastest = max((fall for fall in learned if math.isfinite(fall)), default=0.0)
    changes = enumerate(_ahead(falls))
    return (_start(run), *(_change(run, falls, number, fastest, ahead) for number, ahead in changes))


@dataclass(frozen=True)
class _Ahead:
    """What follows after a change of the loss."""

    rises: bool
    """Whether every later change that is finite is a rise."""
    largest: float
    """The largest of this and all later changes, whichever way; infinite where one is not finite."""


def _ahead(falls: tuple[float, ...]) -> list[_Ahead]:
    """What follows after each of these changes, gone through from the last one back."""
    found, rises, largest = [], True, 0.0
    for fall in reversed(falls):
        largest = max(largest, abs(fall)) if math.isfinite(fall) else math.inf
        found.append(_Ahead(rises, largest))
        rises = rises and not (math.isfinite(fall) and fall >= 0)
    return found[::-1]


def summarize(trace: Trace) -> tuple[str, ...]:
    """What the twins show side by side, each as one sentence."""
    said = [_parting(trace)]
    for run, name in zip(trace.runs, ("Without detach", "With detach"), strict=True):
        said.append(f"{name}, {_outcome(run)}")
        if run.never_moved and not run.refusal:
            said.append(f"{name}, {_listed(run.never_moved)} never moved: {_cause(run)}.")
    return tuple(said)


def _start(run: Run) -> str:
    first = run.losses[0]
    if run.lacks(first):
        return "The step raised, so this epoch has no loss."
    if not math.isfinite(first):
        return f"The loss is {first} from the start: these weights cannot be used."
    start = f"The loss starts at {number_text(first)}: the weights have not learned anything yet."
    return f"{start} backward() refuses, so no weight will change." if run.refusal else start


def _change(run: Run, falls: tuple[float, ...], number: int, fastest: float, ahead: _Ahead) -> str:
    fall, loss = falls[number], run.losses[number + 1]
    if run.lacks(loss):
        return "The step raised again."
    if not math.isfinite(loss):
        return f"The loss is {loss}: the training has diverged."
    if run.refusal:
        return "No change: backward() refused, nothing can learn."
    if abs(fall) <= _ROUNDING * abs(loss):
        return "No change in six digits."
    shown = number_text(abs(fall), beside=max(abs(loss), abs(run.losses[number])))
    if abs(fall) <= _PLATEAU * abs(run.losses[0]):
        return "Hardly any change: a plateau."
    if fall < 0:
        runaway = ahead.rises and run.diverged_at is not None
        return f"Rises by {shown}: {'on the way to divergence' if runaway else 'this step made it worse'}."
    first, noise = run.losses[0], _ROUNDING * abs(run.losses[0])
    if loss >= first - noise:
        return f"Falls by {shown}, but not below the first loss: nothing is learned yet."
    if run.losses[number] > first + noise:
        return f"Falls by {shown}, back below the first loss."
    if fall >= fastest - noise:
        most = all(other <= fall + noise for other in falls if math.isfinite(other))
        return f"Falls by {shown}{', the fastest fall of the run' if most else ''}: the model is learning."
    if fall >= 0.5 * fastest:
        return f"Falls steadily, by {shown}."
    if ahead.largest <= 0.1 * fastest:
        return f"Falls further, by {shown}: converging."
    slower = number > 0 and 0 < fall < falls[number - 1] - noise
    return f"Falls by {shown}{': lower, and the falls are getting smaller' if slower else ''}."


def _outcome(run: Run) -> str:
    first, last, highest = run.losses[0], run.losses[-1], max(run.losses)
    if run.lacks(last):
        return "the step raised in every epoch: it has no loss, and nothing could learn."
    if run.refusal:
        return f"backward() refused in every epoch: nothing could learn, and the loss stays at {number_text(last)}."
    if run.diverged_at is not None:
        return f"the training diverged: the loss is {run.losses[run.diverged_at - 1]} in epoch {run.diverged_at}."
    if len(run.losses) == 1:
        return f"the loss of the only epoch is {number_text(first)}."
    if abs(first - last) <= _ROUNDING * abs(first):
        return f"the loss ends where it started, at {number_text(last)}."
    end = max(first, last)
    swing = f", swinging up to {number_text(highest)} on the way" if highest > end + 0.1 * abs(end) else ""
    return f"the loss {'falls' if last < first else 'rises'} from {number_text(first)} to {number_text(last)}{swing}."


def _cause(run: Run) -> str:
    """Why the layers that never moved did not."""
    if not set(run.never_moved) & set(run.stepped):
        return "no step of any optimizer was for " + ("them" if len(run.never_moved) > 1 else "it")
    norms = [n for layer, n in zip(run.layers, run.gradient_norms, strict=True) if layer in run.never_moved]
    plural = "them" if len(norms) > 1 else "it"
    if all(n is None for of_layer in norms for n in of_layer):
        return f"no gradient came to {plural}"
    return f"the gradient that came to {plural} was too small to move a weight, or zero"


def _parting(trace: Trace) -> str:
    parted = trace.parted_at
    if trace.settings.epochs == 1:
        return "There is one epoch only: both twins start from the same loss, and could part from epoch 2 on."
    if parted is None:
        return "The twins never part: their losses are the same bits in every epoch."
    if parted == 1:
        return "The twins differ from the first epoch on."
    return f"The twins part in epoch {parted}: until then their losses are the same bits."


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
