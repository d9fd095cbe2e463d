"""Says in words what a run shows: one sentence an epoch, and a few on the whole trace.

Every sentence is computed from the run's own figures. No sentence belongs to an epoch's number: which one an epoch
gets depends on the change of the loss since the epoch before, on the largest fall of the run, and on what follows.
All changes are given in the loss's own unit, so that they can be compared with each other.

What a change means is said only where the loss measures the predictions: in a regression and a classification. An
adversarial loss that falls says nothing about the fakes, and one that rises does not say that anything got worse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from ..experiments import RANDOM
from ..settings import NOWHERE, Settings
from ..text import number_text
from ..twins.trace import Run, Trace

_ROUNDING = 1e-6
"""A change below this share of a loss can be rounding, which another processor does otherwise."""
_PLATEAU = 1e-4
"""A change of the loss below this share of the first loss counts as hardly any."""
_STEADY, _SLOW, _SMALL = 2 / 3, 1 / 2, 1 / 10
"""A fall is steady down to this share of the fastest one; below the second and third the run may be converging."""


def observe(run: Run, settings: Settings) -> tuple[str, ...]:
    """One sentence for each epoch of a run with these settings."""
    falls = tuple(before - after for before, after in pairwise(run.losses))
    top = run.losses[0] + _ROUNDING * abs(run.losses[0])
    # A fall from above the first loss only makes good for a rise: it is no measure for those that learn.
    learned = (before - after for before, after in pairwise(run.losses) if before <= top)
    fastest = max((fall for fall in learned if math.isfinite(fall)), default=0.0)
    changes = enumerate(_ahead(falls))
    return (
        _start(run, settings),
        *(_change(run, falls, number, fastest, ahead) for number, ahead in changes),
    )


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
    """What the twins show side by side, each as one sentence; of twins without any detach, what both show."""
    said = [_parting(trace)]
    named = {"Without detach": trace.attached, "With detach": trace.detached}
    if trace.settings.detach == NOWHERE:
        named = {"In both": trace.attached}
    for name, run in named.items():
        said.append(f"{name}, {_outcome(run)}")
        if not run.refusal:
            said += [f"{name}, {still}" for still in _never_moved(run)]
    return tuple(said)


def _start(run: Run, settings: Settings) -> str:
    first = run.losses[0]
    if run.lacks(first):
        return "The step raised, so this epoch has no loss."
    if not math.isfinite(first):
        return f"The loss is {first} from the start: these weights cannot be used."
    weights = (
        "the weights" if set(run.layers) <= set(run.stepped) else f"the weights of {_listed(run.stepped)}"
    )
    are = "random" if settings.start == RANDOM.text else "not trained yet"
    start = f"The loss starts at {number_text(first)}: {weights} are {are}."
    return f"{start} backward() raises an error, so no weight will change." if run.refusal else start


def _change(run: Run, falls: tuple[float, ...], number: int, fastest: float, ahead: _Ahead) -> str:
    fall, loss = falls[number], run.losses[number + 1]
    if run.lacks(loss):
        return "The step raised again."
    if not math.isfinite(loss):
        return f"The loss is {loss}: the training has diverged."
    if run.refusal:
        return "No change: backward() raised an error, nothing can learn."
    if abs(fall) <= _ROUNDING * abs(loss):
        return "No change in six digits."
    shown = number_text(abs(fall), beside=max(abs(loss), abs(run.losses[number])))
    if abs(fall) <= _PLATEAU * abs(run.losses[0]):
        return "Hardly any change: a plateau."
    if fall < 0:
        runaway = ahead.rises and run.diverged_at is not None
        return f"Rises by {shown}{': on the way to divergence' if runaway else ''}."
    first, noise = run.losses[0], _ROUNDING * abs(run.losses[0])
    judged = run.r2 is not None or run.accuracies is not None
    if loss >= first - noise:
        return (
            f"Falls by {shown}, but not below the first loss{': nothing is learned yet' if judged else ''}."
        )
    if run.losses[number] > first + noise:
        return f"Falls by {shown}, back below the first loss."
    if fall >= fastest - noise:
        most = all(other <= fall + noise for other in falls if math.isfinite(other))
        learning = ": the model is learning" if judged else ""
        return f"Falls by {shown}{', the fastest fall of the run' if most else ''}{learning}."
    if fall >= _STEADY * fastest:
        return f"Falls steadily, by {shown}."
    if judged and _converges(falls, number, fastest, ahead, noise):
        return f"Falls further, by {shown}: converging."
    if _improves(run, number):
        return f"Lower by {shown}: predictions improve."
    slower = number > 0 and 0 < fall < falls[number - 1] - noise
    return f"Falls by {shown}{', less than in the epoch before' if slower else ''}."


def _converges(falls: tuple[float, ...], number: int, fastest: float, ahead: _Ahead, noise: float) -> bool:
    """Whether only small changes follow from here, or the run ends with falls that have shrunk from epoch to epoch."""
    if ahead.largest <= _SMALL * fastest:
        return True
    last_four = falls[-4:]
    shrinking = len(last_four) == 4 and all(fall < before - noise for before, fall in pairwise(last_four))
    return number == len(falls) - 1 and shrinking and falls[number] < _SLOW * fastest


def _improves(run: Run, number: int) -> bool:
    """Whether accuracy or R2 is higher after this change of the loss than before it."""
    figures = run.accuracies or run.r2
    return figures is not None and figures[number + 1] - figures[number] > _ROUNDING


def _outcome(run: Run) -> str:
    first, last, highest = run.losses[0], run.losses[-1], max(run.losses)
    if run.lacks(last):
        return "the step raised in every epoch: it has no loss, and nothing could learn."
    if run.refusal:
        return f"backward() raised an error in every epoch: nothing could learn, and the loss stays at {number_text(last)}."
    if run.diverged_at is not None:
        return f"the training diverged: the loss is {run.losses[run.diverged_at - 1]} in epoch {run.diverged_at}."
    if len(run.losses) == 1:
        return f"the loss of the only epoch is {number_text(first)}."
    if number_text(abs(first - last), beside=first) == "0":
        return f"the loss ends where it started, at {number_text(last)}."
    if number_text(first) == number_text(last):
        way, by = "lower" if last < first else "higher", number_text(abs(first - last), beside=first)
        return f"the loss ends {way} than it started, at {number_text(first)}, by only {by}."
    end = max(first, last)
    swing = f", swinging up to {number_text(highest)} on the way" if highest > end + 0.1 * abs(end) else ""
    return f"the loss {'falls' if last < first else 'rises'} from {number_text(first)} to {number_text(last)}{swing}."


def _never_moved(run: Run) -> list[str]:
    """The layers that never moved, each group with its cause."""
    causes: dict[str, list[str]] = {}
    for layer in run.never_moved:
        causes.setdefault(_cause(run, layer), []).append(layer)
    return [f"{_listed(tuple(layers))} never moved: {cause}." for cause, layers in causes.items()]


def _cause(run: Run, layer: str) -> str:
    """Why a layer never moved."""
    if layer not in run.stepped:
        return "no optimizer took a step there"
    came = [norm for norm in run.gradient_norms[run.layers.index(layer)] if norm is not None]
    if not came:
        return "no gradient came that far"
    zeros = came.count(0.0)
    if zeros == len(came):
        return "every gradient there was exactly zero"
    small = "the gradients there were too small to move a weight"
    return f"{small}, and in {zeros} of {len(run.losses)} epochs exactly zero" if zeros else small


def _parting(trace: Trace) -> str:
    parted = trace.parted_at
    if trace.settings.epochs == 1:
        if any(run.lacks(run.losses[0]) for run in trace.runs):
            return "There is one epoch only, and not both twins have a loss in it."
        return (
            "There is one epoch only: both twins start from the same loss and could differ from epoch 2 on."
        )
    if parted is None:
        if trace.attached.weights.tobytes() != trace.detached.weights.tobytes():
            return "The losses of the twins are equal in every epoch, to the last bit; their weights are not."
        return "The twins never differ: their losses are equal in every epoch, to the last bit."
    if parted == 1:
        return "The twins differ from the first epoch on."
    before = "In epoch 1" if parted == 2 else f"In epochs 1 to {parted - 1}"
    return f"{before} both twins have the same loss, to the last bit; from epoch {parted} on they differ."


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
