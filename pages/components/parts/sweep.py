"""The learning-rate sweep on the training trace, computed when the reader asks for it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from engine.evidence.sweep import Curve, Sweep, SweepError, exact_edge, refusal
from engine.text import number_text
from pages.components.draw import charts
from pages.components.draw.twins import twin_names
from pages.components.shell import keeper
from pages.components.shell.results import show_sweep
from pages.components.shell.view import View


def show_sweep_section(view: View) -> None:
    """A toggle, and below it the chart and what follows from it."""
    st.header("Learning-rate sweep", anchor=False)
    said = refusal(view.settings)
    if said:
        st.info(said)
        return
    st.toggle(
        "Train both twins at 256 learning rates",
        help="All rates at once, in one batched run; everything else as set in the controls.",
        **keeper.bound("sweep", view.sweep, lambda now, shown: replace(now, sweep=shown)),
    )
    if not view.sweep:
        return
    try:
        sweep = show_sweep(view.settings)
    except SweepError as refused:
        st.info(str(refused))
        return
    if sweep is not None:
        exact = exact_edge(view.settings)
        charts.show_sweep(sweep, _rules(view, sweep, exact), _described(view, sweep))
        st.markdown("\n".join(f"- {sentence}" for sentence in _sentences(sweep, exact)))


def _rules(view: View, sweep: Sweep, exact: float | None) -> dict[str, float]:
    rules = {"chosen": view.settings.learning_rate}
    for curve, name in zip(sweep.curves, twin_names(sweep.settings), strict=True):
        if curve.edge is not None:
            rules[f"{name}: diverges"] = curve.edge[1]
    if exact is not None and sweep.rates[0] <= exact <= sweep.rates[-1]:
        rules["exact edge"] = exact
    return rules


def _described(view: View, sweep: Sweep) -> str:
    ends = ", ".join(
        f"{name} lowest at {_rate(curve.best[0])} with {number_text(curve.best[1])}"
        if curve.learns
        else f"{name} {number_text(curve.first)} throughout"
        for curve, name in zip(sweep.curves, twin_names(sweep.settings), strict=True)
    )
    return (
        f"The loss in epoch {sweep.settings.epochs} over {len(sweep.rates)} learning rates from {sweep.rates[0]:g} to "
        f"{sweep.rates[-1]:g}: {ends}. The chosen learning rate is {view.settings.learning_rate:g}. Losses of more than "
        "ten times the first are not drawn."
    )


def _sentences(sweep: Sweep, exact: float | None) -> list[str]:
    said = [_of(curve, name) for curve, name in zip(sweep.curves, twin_names(sweep.settings), strict=True)]
    said.append(
        "A rate diverges where some epoch's loss is not finite, or the last loss lies above the first."
    )
    if exact is not None:
        said.append(
            f"The loss is quadratic in the parameters, so the exact edge of plain gradient descent without detach is known: "
            f"2 / λ = **{_rate(exact)}**, λ being the largest eigenvalue of its Hessian. {_beside(sweep.attached, exact)}"
        )
    return said


def _of(curve: Curve, name: str) -> str:
    if not curve.learns:
        return (
            f"**{name}:** no parameter is connected to the loss, so it stays at {number_text(curve.first)} "
            "at every rate."
        )
    rate, loss = curve.best
    best = f"**{name}:** the best rate is **{_rate(rate)}**, with a loss of {number_text(loss)} after {number_text(curve.first)}."
    if curve.edge is None:
        return f"{best} No rate up to {curve.rates[-1]:g} diverges."
    below, above = curve.edge
    return f"{best} Divergence starts between the rates {_rate(below)} and {_rate(above)}."


def _rate(rate: float) -> str:
    return number_text(rate, short=True)


def _beside(curve: Curve, exact: float) -> str:
    if curve.edge is None:
        return "In so few epochs no rate has diverged."
    below, above = curve.edge
    if below < exact < above:
        return "It lies between the two rates at which the measured divergence starts."
    if exact <= below:
        return (
            "The measured edge lies above it: just above the exact edge the loss grows slowly, and in so few epochs "
            "it has not come back to where it started."
        )
    return "The measured edge lies below it."
