"""Says in words what a run shows: one sentence an epoch, and a few on the whole trace.

Every sentence is computed from the run's own figures. No sentence belongs to an epoch's number: which one an epoch
gets depends on the loss before it, the largest fall of the run, and what is still to come.
"""

from __future__ import annotations

import math
from itertools import pairwise

from engine.trace import Run, Trace

_PLATEAU = 1e-4
"""A change of the loss below this share of the first loss counts as none."""


def observe(run: Run) -> tuple[str, ...]:
    """One sentence for each epoch of a run."""
    losses = run.losses
    falls = [before - after for before, after in pairwise(losses)]
    finite_falls = [fall for fall in falls if math.isfinite(fall)]
    largest = max(finite_falls, default=0.0)
    sentences = [_start(run)]
    for before, fall, loss in zip([0.0, *falls], falls, losses[1:], strict=False):
        sentences.append(_change(run, fall, before, loss, largest))
    return tuple(sentences)


def summarize(trace: Trace) -> tuple[str, ...]:
    """What the twins show side by side, each as one sentence."""
    said = [_parting(trace)]
    for run, name in zip(trace.runs, ("Without detach", "With detach"), strict=True):
        said.append(f"{name}, {_outcome(run)}")
        if run.never_moved and not run.refusal:
            said.append(
                f"{name}, {_listed(run.never_moved)} never moved: no gradient came to it or the step was zero."
            )
    return tuple(said)


def _start(run: Run) -> str:
    first = run.losses[0]
    if not math.isfinite(first):
        return f"The loss is {first} from the start: these weights cannot be used."
    start = f"The loss starts at {first:.4g}: the weights have not learned anything yet."
    return f"{start} backward() refuses, so no weight will change." if run.refusal else start


def _change(run: Run, fall: float, fall_before: float, loss: float, largest: float) -> str:
    unit = _PLATEAU * abs(run.losses[0]) if math.isfinite(run.losses[0]) else 0.0
    if not math.isfinite(loss):
        return f"The loss is {loss}: the training has diverged."
    if run.refusal:
        return "No change: backward() refused, nothing can learn."
    if fall == 0:
        return "No change at all."
    if abs(fall) <= unit:
        return "Hardly any change: a plateau."
    share = abs(fall) / (loss + fall) if loss + fall > 0 else 0.0
    if fall < 0:
        return f"The loss rises by {share:.0%}: the step was too long."
    if fall == largest:
        return f"The fastest fall of the run, by {share:.0%}: the model is learning."
    if fall >= 0.5 * largest:
        return f"Falls steadily, by {share:.0%}."
    if fall >= 0.1 * largest:
        trend = ": the falls are getting smaller" if fall < fall_before else ""
        return f"Lower, by {share:.0%}{trend}."
    return f"Falls a little further, by {share:.1%}: converging."


def _outcome(run: Run) -> str:
    first, last = run.losses[0], run.losses[-1]
    if run.refusal:
        return f"backward() refused in every epoch, and the loss stays at {last:.4f}."
    if run.diverged_at is not None:
        return f"the training diverged: the loss is {run.losses[run.diverged_at - 1]} in epoch {run.diverged_at}."
    if len(run.losses) == 1:
        return f"the loss of the only epoch is {first:.4f}."
    if first == last:
        return f"the loss ends where it started, at {last:.4f}."
    verb = "falls" if last < first else "rises"
    return f"the loss {verb} from {first:.4f} to {last:.4f}."


def _parting(trace: Trace) -> str:
    parted = trace.parted_at
    if parted is None:
        return "The twins never part: their losses are the same bits in every epoch."
    return f"The twins part in epoch {parted}: until then their losses are the same bits."


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
