"""What the detach does in one experiment, judged from its twins: a word, and a sentence with the figures behind it.

- error: one of the twins can't be trained, since `backward()` raises an error;
- diverges: a loss or a weight of one of the twins is no finite number in the end;
- leak: the weights are the same bits, and without the detach more is held in memory after each epoch;
- wasted work: the weights are the same bits, and one twin computes gradients that nobody uses, or keeps more in memory;
- no difference: the weights are the same bits, at the same cost;
- no difference beyond rounding: the weights differ by no more than rounding alone can add up to;
- ends alike: the weights differ by more, and the loss and the experiment's measure end the same to a thousandth;
- learns something else: the weights differ, and so does one of these.

Rounding: a float32 weight is right to one part in 2 ** 23, which is `eps`, and each step rounds it anew. So in `n` steps two
runs that compute the same in two ways can come apart by `n * eps` times the largest weight; that is the bound. It is
generous where roundings cancel, and a real difference grows past it, since it comes to a share of each step and
not to a share of the last bit. A twin with a layer that never moves beside one in which it does is another run
at any size.

One run has one seed. Which twin is better is therefore said of this run; `seeds` asks the same of several.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..experiments import Measure
from ..settings import NOWHERE
from ..text import counted, first_line, listed, number_text, verb
from ..twins.trace import Run, Trace
from .cost import Cost, cost

Kind = Literal[
    "error",
    "diverges",
    "learns something else",
    "ends alike",
    "wasted work",
    "leak",
    "no difference",
    "no difference beyond rounding",
]
NAMES = ("Without the detach", "With it")
_CLEAR = 1e-3
"""Two ends that differ by less than this share are not told apart."""
_MORE = 1.1
"""Bytes that differ by less than this factor are not worth a sentence."""


@dataclass(frozen=True)
class Verdict:
    """The judgement on one pair of twins."""

    kind: Kind
    sentence: str
    """One or two sentences in Markdown, every figure measured."""
    attached: Cost
    detached: Cost


def judge(trace: Trace) -> Verdict:
    """The verdict on a twin run."""
    settings = trace.settings
    costs = cost(settings, False), cost(settings, True)
    kind, said = _judge(trace, *costs)
    return Verdict(kind, said, *costs)


def _judge(trace: Trace, attached: Cost, detached: Cost) -> tuple[Kind, str]:
    settings, (without, with_) = trace.settings, trace.runs
    refused = [run for run in trace.runs if run.refusal]
    if len(refused) == 1 or (refused and without.refusal != with_.refusal):
        return "error", _error(trace, refused)
    if any(map(_diverged, trace.runs)):
        return "diverges", " ".join(_went(run, name) for run, name in zip(trace.runs, NAMES, strict=True))
    if not same_weights(without, with_):
        if within_rounding(without, with_):
            return "no difference beyond rounding", _rounded(trace)
        return "ends alike" if _alike(trace) else "learns something else", _otherwise(trace)
    same = "Both twins have the same weights after every epoch, bit for bit"
    if settings.detach == NOWHERE:
        return (
            "no difference",
            f"The detach stands nowhere, so both twins are the same run. {_alone(without, attached)}",
        )
    if refused:
        return "no difference", f"{same}: `backward()` raises an error in both. {_refused(without)}"
    if attached.grows != detached.grows:
        return "leak", f"{same}. {_leak(attached, detached)}"
    if (attached.nodes, attached.saved, attached.unused) != (detached.nodes, detached.saved, detached.unused):
        return "wasted work", f"{same}. {_waste(attached, detached)}"
    return (
        "no difference",
        f"{same}, at the same cost: {_these(settings.epochs)} the detach changes nothing.",
    )


def _these(epochs: int) -> str:
    return "in this epoch" if epochs == 1 else f"in these {epochs} epochs"


def _alone(run: Run, cost: Cost) -> str:
    """What one run does by itself."""
    if run.refusal:
        return f"`backward()` raises: {_refused(run)}"
    said = f"The loss goes from {number_text(run.losses[0])} to {number_text(run.losses[-1])}."
    return f"{said} The graphs kept alive grow: {_growth(cost)}." if cost.grows else said


def same_weights(one: Run, other: Run) -> bool:
    """Whether two runs had the same bits in every weight at every epoch."""
    return one.weights.tobytes() == other.weights.tobytes()


def apart(one: Run, other: Run) -> float:
    """By how much the two runs' weights differ at most, in any weight at any epoch; nan where one is not finite."""
    return float(np.abs(one.weights.astype(np.float64) - other.weights).max())


def rounding(one: Run, other: Run) -> float:
    """How far rounding alone can bring the weights of two runs apart: the number of steps x eps x the largest weight."""
    largest = max(float(np.abs(run.weights).max()) for run in (one, other))
    return len(one.losses) * float(np.finfo(np.float32).eps) * largest


def within_rounding(one: Run, other: Run) -> bool:
    """Whether two runs differ by no more than rounding alone can add up to."""
    return one.never_moved == other.never_moved and apart(one, other) <= rounding(one, other)


def _rounded(trace: Trace) -> str:
    """The measured size as the power of ten above it: its digits are those of the processor's own rounding."""
    power = math.ceil(math.log10(apart(*trace.runs)))
    return (
        f"After every epoch the weights of the twins differ by less than 1e{power}. Rounding alone can add up to "
        f"{number_text(rounding(*trace.runs), digits=2)} in {counted(trace.settings.epochs, 'step')}: their number, times the largest "
        f"weight, times the 1.2e-7 to which float32 is exact. {_goes(trace.detached, NAMES[1])}"
    )


def _diverged(run: Run) -> bool:
    """Whether a loss, or a weight at the end, is no finite number; a step that raised says so itself."""
    return not run.refusal and not (run.diverged_at is None and bool(np.isfinite(run.weights[-1]).all()))


def _went(run: Run, name: str) -> str:
    if not _diverged(run):
        return f"{name}, `backward()` raises: {_refused(run)}" if run.refusal else _goes(run, name)
    if run.diverged_at is None:
        return f"{name}, the training diverges: after the last epoch a weight is no finite number."
    loss = run.losses[run.diverged_at - 1]
    return f"{name}, the training diverges: in epoch {run.diverged_at} the loss is {loss}."


def _error(trace: Trace, refused: list[Run]) -> str:
    said = []
    for run, name in zip(trace.runs, NAMES, strict=True):
        raised = run in refused
        said.append(f"{name}, `backward()` raises: {_refused(run)}" if raised else _goes(run, name))
    return " ".join(said)


def _goes(run: Run, name: str) -> str:
    return f"{name}, the loss goes from {number_text(run.losses[0])} to {number_text(run.losses[-1])}."


def _refused(run: Run) -> str:
    line = first_line(run.refusal or "").split(". ")[0].rstrip(".")
    return f"“{line}”."


def _alike(trace: Trace) -> bool:
    """Whether both twins end with the same loss, and the same measure, and each layer moves in both or in neither."""
    losses = (trace.attached.losses[-1], trace.detached.losses[-1])
    still = {run.never_moved for run in trace.runs}
    return len(still) == 1 and better(losses, None) == better(ends(trace), None) == "neither"


def _otherwise(trace: Trace) -> str:
    measure = trace.settings.described().measure
    said = []
    for run, name in zip(trace.runs, NAMES, strict=True):
        text = _goes(run, name).removesuffix(".")
        if measure is not None and run.measures is not None:
            text += f" and the {measure.label} from {number_text(run.measures[0])} to {number_text(run.measures[-1])}"
        still = list(run.never_moved)
        if still and len(still) < len(run.layers):
            text += f"; {listed(still, len(still))} never {'moves' if len(still) == 1 else 'move'}"
        elif still:
            text += "; nothing moves"
        said.append(text + ".")
    if said[0].removeprefix(NAMES[0]) == said[1].removeprefix(NAMES[1]):
        said.append("Their weights differ, but by too little to show in these figures.")
    return " ".join([*said, *_held_still(trace.detached), *_better(trace)])


def _held_still(run: Run) -> list[str]:
    """Of layers that were trained and then got no gradient any more: whether they stood still."""
    said = []
    for layer, norms in zip(run.layers, run.gradient_norms, strict=True):
        last = next((e for e in range(len(norms), 0, -1) if norms[e - 1]), 0)
        if not 0 < last < len(norms):
            continue
        moved = math.dist(run.layer_weights(layer, last + 1), run.layer_weights(layer, len(norms) + 1))
        came = "None" if norms[-1] is None else "zeros"
        size = math.hypot(*run.layer_weights(layer, last + 1))
        then = (
            f"it still moves by {number_text(moved, beside=size)} from there"
            if moved
            else "it stands still to the last bit"
        )
        said.append(f"From epoch {last + 1} on the gradient of `{layer}` is {came}, and {then}.")
    return said


def ends(trace: Trace) -> tuple[float, float]:
    """What both twins end with by the experiment's own measure, or by the loss where it has none."""
    measured = trace.settings.described().measure is not None
    without, with_ = (((run.measures or ()) if measured else run.losses) or (math.nan,) for run in trace.runs)
    return without[-1], with_[-1]


def better(ends: tuple[float, float], measure: Measure | None) -> Literal["without", "with", "neither"]:
    """Which of both ends is better; neither where they are less than a thousandth apart."""
    without, with_ = ends
    if not math.isfinite(without) or not math.isfinite(with_):
        finite = math.isfinite(without), math.isfinite(with_)
        return "without" if finite[0] else "with" if finite[1] else "neither"
    if abs(without - with_) <= _CLEAR * max(abs(without), abs(with_)):
        return "neither"
    up = measure is not None and measure.good == "up"
    return "without" if (without > with_) == up else "with"


def _better(trace: Trace) -> list[str]:
    """Which twin ends better in this run, if one does."""
    measure = trace.settings.described().measure
    if measure is not None and measure.good == "neither":
        return []
    twin = better(ends(trace), measure)
    if measure is None:
        return [f"In this run the loss ends lower {twin} the detach."] if twin != "neither" else []
    good = "higher" if measure.good == "up" else "lower"
    start = (trace.attached.measures or (math.nan,))[0]
    if all(better((start, end), measure) == "without" for end in ends(trace)):
        worse = "lower" if measure.good == "up" else "higher"
        return [f"The {measure.label}, where {good} is better, ends {worse} than it began in both."]
    if twin == "neither":
        return []
    return [f"In this run the {measure.label}, where {good} is better, ends {good} {twin} the detach."]


def _leak(attached: Cost, detached: Cost) -> str:
    grows, steady, name = (attached, detached, NAMES[0]) if attached.grows else (detached, attached, NAMES[1])
    kept = "nothing" if not steady.held[-1] and not steady.alive[-1] else _held(steady)
    return f"{name}, the graphs kept alive grow: {_growth(grows)}. In the other twin {kept} is kept."


def _growth(cost: Cost) -> str:
    epochs = len(cost.held)
    nodes, each = ((kept[-1] - kept[0]) / (epochs - 1) for kept in (cost.alive, cost.held))
    more = counted(nodes, "autograd node") + (f" and {_bytes(each)}" if each else "")
    return (
        f"by {more} with every epoch, to {_held(cost)} after {counted(epochs, 'epoch')}, where the count ends"
    )


def _held(cost: Cost) -> str:
    return counted(cost.alive[-1], "node") + (f" and {_bytes(cost.held[-1])}" if cost.held[-1] else "")


def _waste(attached: Cost, detached: Cost) -> str:
    text = (
        f"In an epoch the gradient passes {counted(attached.nodes[-1], 'autograd node')} without the detach and "
        f"{detached.nodes[-1]:,} with it."
    )
    held = attached.at_once, detached.at_once
    if max(held) > _MORE * min(held):
        text += f" As `backward()` starts, {_bytes(held[0])} are held for it without the detach, {_bytes(held[1])} with it."
    more = [name for name in attached.unused if name not in detached.unused]
    if more:
        text += f" {counted(len(more), 'parameter')} {verb(more, 'gets', 'get')} a gradient that no optimizer uses."
    without, with_ = attached.cleared[-1], detached.cleared[-1]
    if without != with_ and not more:
        text += (
            f" Cleared before an optimizer uses them, in an epoch: {counted(without, 'gradient')} without the detach, "
            f"{with_ or 'none'} with it."
        )
    return text


def _bytes(count: float) -> str:
    return counted(count, "byte")
