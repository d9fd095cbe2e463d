"""Questions that a reader answers before the run does: each with its options, and the one that the run says is right.

    from .predictions import about_losses

    asked = about_losses(train(Settings("simsiam")))
    print(asked.question, *asked.options, "right:", asked.options[asked.right], sep="\\n")

What the run can show makes the options, so exactly one of them is right, and which one stands at which place does not
tell. Where a run leaves nothing to predict, there is no question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..recorder import StepRecord
from ..settings import NOWHERE, Settings
from ..text import counted, first_line, listed, number_text, verb
from ..twins.trace import Run, Trace

_MOST = 4
"""How many options a question about layers has, at most."""


@dataclass(frozen=True)
class Prediction:
    """A question, its options (Markdown), the index of the right one, and why it is."""

    question: str
    options: tuple[str, ...]
    right: int
    why: str


def about_starving(settings: Settings, without: StepRecord, with_: StepRecord) -> Prediction | None:
    """Which layers get no gradient with the detach; of a model of one layer, which of its parameters."""
    if settings.detach == NOWHERE or (with_.raised is not None and with_.raised.stage != "backward"):
        return None
    units = _units(with_)
    starved = _starved(units, with_)
    sets = _sets(tuple(unit.name for unit in units), starved)
    kind = "layer" if any(unit.name not in unit.parameters for unit in units) else "parameter"
    return Prediction(
        f"The detach stands {_place(settings)}. Which {kind}s get no gradient in this step?",
        tuple(_named(one, len(units), kind) for one in sets),
        sets.index(starved),
        _why_starved(starved, _starved(units, without), with_, kind),
    )


@dataclass(frozen=True)
class _Unit:
    """A layer with its parameters, or one parameter by itself."""

    name: str
    parameters: tuple[str, ...]


def _units(step: StepRecord) -> tuple[_Unit, ...]:
    """The layers of a step, or its parameters where there is only one layer."""
    names = tuple(parameter.name for parameter in step.parameters)
    layers = tuple(dict.fromkeys(name.rpartition(".")[0] for name in names))
    if len(layers) == 1:
        return tuple(_Unit(name, (name,)) for name in names)
    return tuple(_Unit(layer, tuple(n for n in names if n.rpartition(".")[0] == layer)) for layer in layers)


def _starved(units: Sequence[_Unit], step: StepRecord) -> tuple[str, ...]:
    """Those that no backward pass of the step brought a gradient to."""
    reached = {name for backward in step.backwards for name in backward.reached}
    return tuple(unit.name for unit in units if reached.isdisjoint(unit.parameters))


def _sets(names: tuple[str, ...], right: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The right set of names among others that could be thought of, the smaller ones first."""
    rest = tuple(name for name in names if name not in right)
    first, last = (_beside(names, name) for name in (names[0], names[-1]))
    found = list(dict.fromkeys([right, rest, (), names, first, last, names[:1], names[-1:]]))[:_MOST]
    return sorted(found, key=lambda one: (len(one), [names.index(name) for name in one]))


def _beside(names: tuple[str, ...], one: str) -> tuple[str, ...]:
    """A layer with those of the same part of the model, such as the encoder."""
    return tuple(name for name in names if name.partition(".")[0] == one.partition(".")[0])


def _named(names: tuple[str, ...], of: int, kind: str) -> str:
    if not names:
        return f"None of them: every {kind} gets a gradient"
    if len(names) == of > 1:
        return f"All of them: no {kind} gets one"
    return f"{'Only ' if len(names) == 1 < of else ''}{listed(names, len(names))}"


def _why_starved(starved: tuple[str, ...], before: tuple[str, ...], with_: StepRecord, kind: str) -> str:
    lost = [name for name in starved if name not in before]
    said = []
    if with_.raised is not None:
        said.append("Nothing connects the loss to a parameter any more, so `backward()` raises.")
    elif lost:
        said.append(
            f"With the detach no path brings a gradient from a loss to {listed(lost, len(lost))}; without it one does."
        )
    elif not starved:
        said.append(f"Every {kind} comes after the detach, or has a path to a loss around it.")
    both = [name for name in starved if name in before]
    if both:
        said.append(f"{listed(both, len(both))} {verb(both, 'gets', 'get')} none without the detach either.")
    return " ".join(said)


_LOSSES = (
    "With the detach `backward()` raises, and nothing learns",
    "Without the detach `backward()` raises; with it the model trains",
    "Both can be trained, and the loss ends lower with the detach",
    "Both can be trained, and the loss ends lower without it",
    "Both can be trained, and the loss ends at the same value",
)


def about_losses(trace: Trace) -> Prediction | None:
    """How the loss goes with the detach, beside how it goes without."""
    settings, without, with_ = trace.settings, trace.attached, trace.detached
    refused = [run for run in trace.runs if run.refusal]
    ends = [run.losses[-1] for run in trace.runs if not run.refusal]
    if settings.detach == NOWHERE or len(refused) == 2 or not all(map(math.isfinite, ends)):
        return None
    if refused:
        right = 0 if with_.refusal else 1
    elif number_text(without.losses[-1]) == number_text(with_.losses[-1]):
        right = 4
    else:
        right = 2 if with_.losses[-1] < without.losses[-1] else 3
    epochs = counted(settings.epochs, "epoch")
    return Prediction(
        f"The detach stands {_place(settings)}. How do the two runs compare after {epochs}?",
        _LOSSES,
        right,
        " ".join(_outcome(run) for run in trace.runs),
    )


def _outcome(run: Run) -> str:
    name = "With it" if run.detached else "Without the detach"
    if run.refusal:
        return f"{name}, `backward()` raises: “{first_line(run.refusal)}”"
    return f"{name}, the loss goes from {number_text(run.losses[0])} to {number_text(run.losses[-1])}."


def _place(settings: Settings) -> str:
    return next(place.label for place in settings.described().places if place.name == settings.detach)
