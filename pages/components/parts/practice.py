"""The parts of a pattern's page: which one, the verdict and its curve, what the detach is for, the lines, the evidence."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from engine import Run, Settings, Trace
from engine.evidence.cost import Cost
from engine.evidence.predictions import Prediction
from engine.evidence.seeds import COUNT, refusal
from engine.evidence.verdicts import Kind, Verdict
from engine.experiments import Measure, experiment_names, find_experiment
from engine.serving.results import summands_of
from engine.settings import NOWHERE
from engine.text import number_text
from engine.twins.experiment_script import MARK, script_of
from pages.components.draw import charts
from pages.components.draw.tables import table_html
from pages.components.draw.twins import twin_names
from pages.components.shell import keeper
from pages.components.shell.results import find_over_seeds
from pages.components.shell.view import View

_MEANS: dict[Kind, str] = {
    "error": "One of the twins can't be trained as it stands: `backward()` raises an error.",
    "diverges": "One of the twins, or both, ends in numbers that are not finite.",
    "learns something else": "Both train, and end with different weights and another result.",
    "ends alike": "Both train and end with different weights, but with the same result.",
    "wasted work": "One of the twins does work that is never used.",
    "leak": "One of the twins needs more memory with every epoch.",
    "no difference": "The twins do not differ.",
    "no difference beyond rounding": "Both end with the same weights, except for rounding.",
}

_COLOURS: dict[Kind, str] = {
    "error": "red",
    "diverges": "red",
    "learns something else": "blue",
    "ends alike": "gray",
    "wasted work": "orange",
    "leak": "orange",
    "no difference": "gray",
    "no difference beyond rounding": "gray",
}
_SURPRISES: dict[Kind, tuple[str, ...]] = {
    "leak": ("bytes held", "nodes alive"),
    "learns something else": ("measure",),
    "ends alike": ("measure",),
}
"""The curves that tell of a verdict, where it is not the losses that do."""


def choose_pattern(view: View) -> None:
    """The pattern looked at, as one of a row."""
    st.pills(
        "Pattern",
        experiment_names(),
        format_func=lambda name: find_experiment(name).title,
        required=True,
        **keeper.bound(
            "pattern",
            view.settings.experiment,
            lambda now, name: now.with_settings(Settings(experiment=name)),
        ),
    )


def show_story(settings: Settings, *, titled: bool = True) -> None:
    """What the detach is for, and where real code has it."""
    described = settings.described()
    if titled:
        st.header("What the detach is for", anchor=False)
    st.markdown(described.story or described.summary)
    if described.seen_in:
        st.caption(f"Seen in: {described.seen_in}.")


def show_verdict(verdict: Verdict) -> None:
    """The word and the figures behind it."""
    st.header(f"Verdict: :{_COLOURS[verdict.kind]}-badge[{verdict.kind}]", anchor=False)
    st.markdown(f"{_MEANS[verdict.kind]} {verdict.sentence}")


def about_verdict(verdict: Verdict) -> Prediction:
    """Which verdict the pair of twins gets."""
    kinds = tuple(_MEANS)
    options = tuple(f"**{kind}**: {meaning.rstrip('.')}" for kind, meaning in _MEANS.items())
    return Prediction("Which verdict will this pair get?", options, kinds.index(verdict.kind), "")


def show_lines(settings: Settings) -> None:
    """The few lines that matter: what differs between the two steps."""
    st.header("The lines that matter", anchor=False)
    script = script_of(settings)
    lines = script.text.splitlines()
    without = _function(lines, script.step_without_detach.__code__.co_firstlineno)
    with_ = _function(lines, script.step_with_detach.__code__.co_firstlineno)
    if settings.detach == NOWHERE:
        st.caption("The detach stands nowhere: both steps are this one.")
        st.code("\n".join(without), language="python", wrap_lines=True)
        return
    changed = list(difflib.unified_diff(without[1:], with_[1:], n=2, lineterm=""))[2:]
    hunks = [line.removesuffix(f"  {MARK}") for line in changed if not line.startswith("@@")]
    st.caption("The step without the detach (−) and with it (+); all other lines are the same.")
    st.code("\n".join(hunks), language="diff", wrap_lines=True)


def _function(lines: list[str], first: int) -> list[str]:
    """The lines of the function that starts on that line (from 1)."""
    return [line.rstrip("\n") for line in inspect.getblock([f"{line}\n" for line in lines[first - 1 :]])]


def show_surprise(trace: Trace, verdict: Verdict, epoch: int) -> None:
    """The one curve that shows what the verdict says."""
    curves = _curves(trace, verdict, epoch)
    first = _surprise(verdict, curves)
    if first is not None:
        curves[first]()


def show_over_seeds(view: View, verdict: Verdict) -> None:
    """A toggle, and below it both twins with several seeds: one run may be the exception."""
    if verdict.kind not in ("learns something else", "ends alike") or refusal(view.settings) is not None:
        return
    st.toggle(
        f"Ask {COUNT} seeds which twin ends better",
        help=f"Trains both twins with each of the seeds 0 to {COUNT - 1}; everything else as set in the controls.",
        **keeper.bound("seeds", view.seeds, lambda now, shown: replace(now, seeds=shown)),
    )
    if not view.seeds:
        return
    found = find_over_seeds(view.settings)
    if found is not None:
        st.markdown(found.sentence)
        charts.show_over_seeds(found)


def show_evidence(trace: Trace, verdict: Verdict, epoch: int) -> None:
    """Both twins side by side: what they learned, and, folded away, what an epoch costs autograd."""
    st.header("The evidence", anchor=False)
    curves = _curves(trace, verdict, epoch)
    for name, draw in curves.items():
        if name != _surprise(verdict, curves):
            draw()
    with st.expander("What an epoch costs autograd"):
        st.html(_table(trace, verdict))
        st.caption(
            "Counted in a few epochs of each run. Autograd saves tensors in the forward pass and needs them in the backward pass; "
            "a graph that is cut off is freed, with what it saved. The counts are the same on every machine. "
            "The loss of an epoch is read before its weights move."
        )


def _surprise(verdict: Verdict, curves: Mapping[str, Callable[[], None]]) -> str | None:
    """The curve that comes first; None where there is nothing to draw."""
    return next((name for name in (*_SURPRISES.get(verdict.kind, ()), *curves) if name in curves), None)


def _curves(trace: Trace, verdict: Verdict, epoch: int) -> dict[str, Callable[[], None]]:
    """How to draw each curve that this pair of twins has, by name, the losses first."""
    settings, measure = trace.settings, trace.settings.described().measure
    costs = dict(zip(twin_names(settings), (verdict.attached, verdict.detached), strict=True))
    found: dict[str, Callable[[], None]] = {}
    if any(loss == loss for run in trace.runs for loss in run.losses):
        found["losses"] = lambda: charts.show_losses(trace, epoch)
    if measure is not None:
        found["measure"] = lambda: _show_measure(trace, measure, epoch)
    if any(len(cost.passes) > 2 for cost in costs.values()):
        found["passes"] = lambda: _show_passes(settings, costs)
    if any(cost.grows for cost in costs.values()):
        found["nodes alive"] = lambda: charts.show_series(
            settings,
            "autograd nodes alive after the epoch",
            lambda: {name: cost.alive for name, cost in costs.items()},
            epoch,
        )
    if any(any(cost.held) for cost in costs.values()):
        found["bytes held"] = lambda: charts.show_series(
            settings,
            "bytes held after the epoch",
            lambda: {name: cost.held for name, cost in costs.items()},
            epoch,
        )
    return found


def _show_measure(trace: Trace, measure: Measure, epoch: int) -> None:
    charts.show_series(
        trace.settings,
        measure.label,
        lambda: {name: run.measures or () for name, run in _named(trace)},
        epoch,
    )
    if measure.meaning:
        st.caption(measure.meaning)


def _show_passes(settings: Settings, costs: Mapping[str, Cost]) -> None:
    st.markdown("**Each backward pass of the first epoch**")
    charts.show_series(
        settings,
        "autograd nodes visited",
        lambda: {name: [one.nodes for one in cost.passes] for name, cost in costs.items()},
        along="backward pass",
    )


def show_summands(settings: Settings) -> None:
    """For a loss that is a sum: what each of its terms moves, each backpropagated alone."""
    pairs = summands_of(settings)
    if not pairs:
        return
    st.header("What each term of the loss moves", anchor=False)
    modules = list(pairs[0][0].gradients)
    rows = [
        (f"{term.code}, {name}", *(_came(term.gradients[module]) for module in modules))
        for pair in pairs
        for term, name in zip(pair, twin_names(settings), strict=True)
    ]
    st.html(table_html("What each term of the loss moves", modules, rows, "compared"))
    st.caption(
        "Each term is backpropagated alone, from the start weights: the table shows the Euclidean norm of the gradient that reaches each part of the model. None: nothing connects the two, so the term does not move it."
    )


def _came(norm: float | None) -> str:
    return "✕ None" if norm is None else f"✔ {number_text(norm)}" if norm else "0"


def _named(trace: Trace) -> list[tuple[str, Run]]:
    return list(zip(twin_names(trace.settings), trace.runs, strict=True))


def _table(trace: Trace, verdict: Verdict) -> str:
    measure = trace.settings.described().measure
    costs = (verdict.attached, verdict.detached)
    rows: list[tuple[str, list[str]]] = [
        ("Loss, first and last", [_ends(run.losses) for run in trace.runs]),
    ]
    if measure is not None:
        said = [_ends(run.measures or ()) for run in trace.runs]
        rows.append((f"{measure.label[0].upper()}{measure.label[1:]}, first and last", said))
    raised = [" (it raised)" if run.refusal else "" for run in trace.runs]

    def of_each(figure: Callable[[Cost], str]) -> list[str]:
        return [f"{figure(cost)}{said}" for cost, said in zip(costs, raised, strict=True)]

    never = [", ".join(run.never_moved) or "none" for run in trace.runs]
    rows += [
        ("Layers that never moved", [f"{names}{said}" for names, said in zip(never, raised, strict=True)]),
        ("Autograd nodes visited in an epoch", of_each(lambda cost: _last(cost.nodes))),
        (
            "Bytes saved for the backward pass in an epoch, all together",
            of_each(lambda cost: _last(cost.saved)),
        ),
        ("Bytes held at once as a backward pass starts, at most", of_each(lambda cost: f"{cost.at_once:,}")),
        ("Bytes still held after the last counted epoch", of_each(lambda cost: _last(cost.held))),
        ("Autograd nodes still alive after it", of_each(lambda cost: _last(cost.alive))),
        ("Parameters with a gradient that no optimizer uses", of_each(_unused)),
        (
            "Gradients cleared before an optimizer used them, in an epoch",
            of_each(lambda cost: _last(cost.cleared)),
        ),
    ]
    return table_html(
        "The twins side by side",
        twin_names(trace.settings),
        [(name, *cells) for name, cells in rows],
        "compared",
    )


def _ends(values: Sequence[float]) -> str:
    """The first and the last of some numbers."""
    if not values or all(math.isnan(value) for value in values):
        return "none: the step raised"
    return f"{number_text(values[0])} → {number_text(values[-1])}"


def _last(counts: tuple[int, ...]) -> str:
    return f"{counts[-1]:,}"


def _unused(cost: Cost) -> str:
    return str(len(cost.unused)) if len(cost.unused) != 1 else f"1: {cost.unused[0]}"
