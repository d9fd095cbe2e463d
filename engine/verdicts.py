"""What the detach does in one experiment, judged from its twins: a word, and a sentence with the figures behind it.

- error: one of the twins can't be trained, since autograd refuses;
- leak: the weights are the same bits, and without the detach more is held in memory after each epoch;
- wasted work: the weights are the same bits, and one twin sends gradients where nobody uses them, or keeps more in memory;
- no difference: the weights are the same bits, at the same cost;
- learns something else: the weights differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from engine.cost import Cost, cost, epoch_milliseconds
from engine.recorder.suggestions import listed
from engine.settings import NOWHERE
from engine.trace import Run, Trace

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
    milliseconds: tuple[float, float] = field(default=(math.nan, math.nan), compare=False)
    """How long an epoch took without the detach and with it, measured here and now: the one figure that differs."""


def judge(trace: Trace) -> Verdict:
    """The verdict on a twin run."""
    settings = trace.settings
    costs = cost(settings, False), cost(settings, True)
    kind, said = _judge(trace, *costs)
    return Verdict(kind, said, *costs, epoch_milliseconds(settings))


def _judge(trace: Trace, attached: Cost, detached: Cost) -> tuple[Kind, str]:
    without, with_ = trace.runs
    refused = [run for run in trace.runs if run.refusal]
    if len(refused) == 1 or (refused and without.refusal != with_.refusal):
        return "error", _error(trace, refused)
    if not same_weights(without, with_):
        return "learns something else", _otherwise(trace)
    same = "Both twins have the same weights after every epoch, bit for bit"
    if refused:
        return "no difference", f"{same}: `backward()` refuses in both. {_first_line(without)}"
    if attached.grows != detached.grows:
        return "leak", f"{same}. {_leak(attached, detached)}"
    if (attached.nodes, attached.saved, attached.unused) != (detached.nodes, detached.saved, detached.unused):
        return "wasted work", f"{same}. {_waste(attached, detached)}"
    why = (
        "the detach stands nowhere" if trace.settings.detach == NOWHERE else "here the detach changes nothing"
    )
    return "no difference", f"{same}, at the same cost: {why}."


def same_weights(one: Run, other: Run) -> bool:
    """Whether two runs had the same bits in every weight at every epoch."""
    return one.weights.tobytes() == other.weights.tobytes()


def _error(trace: Trace, refused: list[Run]) -> str:
    said = []
    for run, name in zip(trace.runs, NAMES, strict=True):
        if run in refused:
            said.append(f"{name}, `backward()` raises: {_first_line(run)}")
        else:
            said.append(f"{name}, the loss goes from {_n(run.losses[0])} to {_n(run.losses[-1])}.")
    return " ".join(said)


def _first_line(run: Run) -> str:
    line = (run.refusal or "").split("\n")[0].split(". ")[0].rstrip(".")
    return f"“{line}”."


def _otherwise(trace: Trace) -> str:
    measure = trace.settings.described().measure
    said = []
    for run, name in zip(trace.runs, NAMES, strict=True):
        text = f"{name}, the loss goes from {_n(run.losses[0])} to {_n(run.losses[-1])}"
        if measure is not None and run.measures is not None:
            text += f" and the {measure.label} from {_n(run.measures[0])} to {_n(run.measures[-1])}"
        still = list(run.never_moved)
        if still and len(still) < len(run.layers):
            text += f"; {listed(still, len(still))} never {'moves' if len(still) == 1 else 'move'}"
        elif still:
            text += "; nothing moves"
        said.append(text + ".")
    if said[0].removeprefix(NAMES[0]) == said[1].removeprefix(NAMES[1]):
        said.append("They differ in digits that are not printed.")
    return " ".join([*said, *_better(trace)])


def _better(trace: Trace) -> list[str]:
    """Which twin ends better by the experiment's own measure; by the loss where it has none."""
    measure = trace.settings.described().measure
    if measure is not None and measure.good == "neither":
        return []
    without, with_ = ((run.measures if measure else run.losses) or (math.nan,) for run in trace.runs)
    ends = without[-1], with_[-1]
    if measure is None:
        better, said = min, "The loss ends lower"
    else:
        better = min if measure.good == "down" else max
        said = f"By the {measure.label} ({'lower' if measure.good == 'down' else 'higher'} is better) the better end is"
    finite = [end for end in ends if math.isfinite(end)]
    if not finite or ends[0] == ends[1]:
        return []
    twin = "with the detach" if better(finite) == ends[1] else "without the detach"
    return [f"{said} {twin}." if measure is None else f"{said} the one {twin}."]


def _leak(attached: Cost, detached: Cost) -> str:
    grows, steady, name = (attached, detached, NAMES[0]) if attached.grows else (detached, attached, NAMES[1])
    epochs = len(grows.held)
    nodes, each = ((kept[-1] - kept[0]) / (epochs - 1) for kept in (grows.alive, grows.held))
    kept = "nothing" if not steady.held[-1] and not steady.alive[-1] else _held(steady)
    return (
        f"{name}, the graphs kept alive grow by {nodes:,.0f} autograd nodes and {_bytes(each)} with every epoch: "
        f"{_held(grows)} after {epochs}. In the other twin {kept} is kept."
    )


def _held(cost: Cost) -> str:
    return f"{cost.alive[-1]:,} nodes and {_bytes(cost.held[-1])}"


def _waste(attached: Cost, detached: Cost) -> str:
    text = (
        f"An epoch sends gradients through {attached.nodes[-1]} autograd nodes without the detach and through "
        f"{detached.nodes[-1]} with it, and keeps {_bytes(attached.saved[-1])} and {_bytes(detached.saved[-1])} in memory for the way back."
    )
    more = [name for name in attached.unused if name not in detached.unused]
    if more:
        text += f" {len(more)} parameters get a gradient that no optimizer uses."
    return text


def _bytes(count: float) -> str:
    return f"{count:,.0f} bytes"


def _n(number: float) -> str:
    if not math.isfinite(number):
        return str(number)
    return f"{number:.4f}" if 1e-3 <= abs(number) < 1e5 or number == 0 else f"{number:.3g}"
