"""What the detach does in one experiment, judged from its twins: a word, and a sentence with the figures behind it.

- error: one of the twins can't be trained, since autograd refuses;
- leak: the weights are the same bits, and without the detach more is held in memory after each epoch;
- wasted work: the weights are the same bits, and one twin sends gradients where nobody uses them, or keeps more in memory;
- no difference: the weights are the same bits, at the same cost;
- learns something else: the weights differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ..settings import NOWHERE
from ..text import first_line, listed, number_text
from ..twins.trace import Run, Trace
from .cost import Cost, cost

Kind = Literal["error", "learns something else", "wasted work", "leak", "no difference"]
NAMES = ("Without the detach", "With it")


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
    if not same_weights(without, with_):
        return "learns something else", _otherwise(trace)
    same = "Both twins have the same weights after every epoch, bit for bit"
    if settings.detach == NOWHERE:
        return (
            "no difference",
            f"The detach stands nowhere, so both twins are the same run. {_alone(without, attached)}",
        )
    if refused:
        return "no difference", f"{same}: `backward()` refuses in both. {_refused(without)}"
    if attached.grows != detached.grows:
        return "leak", f"{same}. {_leak(attached, detached)}"
    if (attached.nodes, attached.saved, attached.unused) != (detached.nodes, detached.saved, detached.unused):
        return "wasted work", f"{same}. {_waste(attached, detached)}"
    return (
        "no difference",
        f"{same}, at the same cost: in these {settings.epochs} epochs the detach changes nothing.",
    )


def _alone(run: Run, cost: Cost) -> str:
    """What one run does by itself."""
    if run.refusal:
        return f"`backward()` raises: {_refused(run)}"
    said = f"The loss goes from {number_text(run.losses[0])} to {number_text(run.losses[-1])}."
    return f"{said} The graphs kept alive grow: {_growth(cost)}." if cost.grows else said


def same_weights(one: Run, other: Run) -> bool:
    """Whether two runs had the same bits in every weight at every epoch."""
    return one.weights.tobytes() == other.weights.tobytes()


def _error(trace: Trace, refused: list[Run]) -> str:
    said = []
    for run, name in zip(trace.runs, NAMES, strict=True):
        if run in refused:
            said.append(f"{name}, `backward()` raises: {_refused(run)}")
        else:
            said.append(
                f"{name}, the loss goes from {number_text(run.losses[0])} to {number_text(run.losses[-1])}."
            )
    return " ".join(said)


def _refused(run: Run) -> str:
    line = first_line(run.refusal or "").split(". ")[0].rstrip(".")
    return f"“{line}”."


def _otherwise(trace: Trace) -> str:
    measure = trace.settings.described().measure
    said = []
    for run, name in zip(trace.runs, NAMES, strict=True):
        text = f"{name}, the loss goes from {number_text(run.losses[0])} to {number_text(run.losses[-1])}"
        if measure is not None and run.measures is not None:
            text += f" and the {measure.label} from {number_text(run.measures[0])} to {number_text(run.measures[-1])}"
        still = list(run.never_moved)
        if still and len(still) < len(run.layers):
            text += f"; {listed(still, len(still))} never {'moves' if len(still) == 1 else 'move'}"
        elif still:
            text += "; nothing moves"
        said.append(text + ".")
    if said[0].removeprefix(NAMES[0]) == said[1].removeprefix(NAMES[1]):
        return " ".join([*said, "Their weights differ, but by too little to show in these figures."])
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


def _better(trace: Trace) -> list[str]:
    """Which twin ends better by the experiment's own measure; by the loss where it has none."""
    measure = trace.settings.described().measure
    if measure is not None and measure.good == "neither":
        return []
    ends = [((run.measures if measure else run.losses) or (math.nan,))[-1] for run in trace.runs]
    finite = [end for end in ends if math.isfinite(end)]
    if not finite or number_text(ends[0]) == number_text(ends[1]):
        return []
    best = max(finite) if measure is not None and measure.good == "up" else min(finite)
    twin = "with" if best == ends[1] else "without"
    if measure is None:
        return [f"The loss ends lower {twin} the detach."]
    good = "higher" if measure.good == "up" else "lower"
    return [f"By the {measure.label}, where {good} is better, the better end is the one {twin} the detach."]


def _leak(attached: Cost, detached: Cost) -> str:
    grows, steady, name = (attached, detached, NAMES[0]) if attached.grows else (detached, attached, NAMES[1])
    kept = "nothing" if not steady.held[-1] and not steady.alive[-1] else _held(steady)
    return f"{name}, the graphs kept alive grow: {_growth(grows)}. In the other twin {kept} is kept."


def _growth(cost: Cost) -> str:
    epochs = len(cost.held)
    nodes, each = ((kept[-1] - kept[0]) / (epochs - 1) for kept in (cost.alive, cost.held))
    more = f"{nodes:,.0f} autograd nodes" + (f" and {_bytes(each)}" if each else "")
    return f"by {more} with every epoch, {_held(cost)} after {epochs}"


def _held(cost: Cost) -> str:
    return f"{cost.alive[-1]:,} nodes" + (f" and {_bytes(cost.held[-1])}" if cost.held[-1] else "")


def _waste(attached: Cost, detached: Cost) -> str:
    text = (
        f"An epoch sends gradients through {attached.nodes[-1]} autograd nodes without the detach and through "
        f"{detached.nodes[-1]} with it. As `backward()` starts, {_bytes(attached.at_once)} and {_bytes(detached.at_once)} "
        f"are held for it, of {_bytes(attached.saved[-1])} and {_bytes(detached.saved[-1])} saved on the way."
    )
    more = [name for name in attached.unused if name not in detached.unused]
    if more:
        text += f" {len(more)} parameters get a gradient that no optimizer uses."
    return text


def _bytes(count: float) -> str:
    return f"{count:,.0f} bytes"
