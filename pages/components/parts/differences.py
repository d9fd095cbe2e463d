"""Finite differences beside autograd: where the two part, a gradient is cut."""

from __future__ import annotations

from html import escape

import streamlit as st

from engine import Settings, Trace
from engine.evidence.finite_differences import STEP, Doubles
from engine.serving.results import ComparisonKey
from engine.text import number_text
from pages.components.draw.tables import show_html
from pages.components.draw.tensors import tensor_html
from pages.components.shell.results import find_comparison

_STEPS = ("with the detach", "without the detach")


def show_differences(settings: Settings, epoch: int, trace: Trace) -> None:
    """A parameter of the run to choose, and both gradients of it, at the weights of that epoch."""
    st.markdown(
        "Finite differences do without autograd: each weight is moved slightly up and down, and the loss is computed again. This gives the true slope of the loss. Where autograd agrees, it sees every path; where the two differ, a cut hides a path by which the weight changes the loss, or, as in a straight-through estimator, leaves a gradient that is no "
        "slope of the loss at all. That may be just what was wanted."
    )
    choose, step = st.columns(2)
    with choose:
        names = [parameter.name for parameter in trace.attached.parameters]
        parameter = st.selectbox("Parameter", names, key=f"differenced parameter {settings.experiment}")
    with step:
        chosen = st.radio("The step", _STEPS, horizontal=True, key="differenced step")
    found = find_comparison(ComparisonKey(settings, parameter, epoch, chosen == _STEPS[0]))
    st.info(found.sentence)
    if found.differences is None:
        return
    autograd, differences, apart = st.columns(3)
    with autograd:
        if found.autograd is None:
            why = f"backward() raised: “{found.refused}”" if found.refused else "no gradient came."
            show_html(f'<p>By autograd</p><div class="missing">None: {escape(why)}</div>')
        else:
            _tensor(found.autograd, "By autograd")
    with differences:
        _tensor(found.differences, "By finite differences", found.tolerance)
    if found.autograd is not None:
        with apart:
            _tensor(found.autograd - found.differences, "Difference", found.tolerance)
    several = (
        " The step has several losses: L is their sum, and autograd's gradients are added up too, including those that the step clears in between."
        if len(found.losses) > 1
        else ""
    )
    losses = " + ".join(number_text(loss) for loss in found.losses)
    st.caption(
        f"In float64, with L = {losses} at epoch {epoch}: (L(p + h) - L(p - h)) / 2h for one weight p after the other, "
        f"h = {STEP:g} · max(1, size of p). Slopes that differ by more than {number_text(found.tolerance, digits=1)} count as different, smaller ones are rounding and shown as 0; where they differ, h / 100 is tried too. Where L jumps or bends at p itself, as at a rounding, it has no slope.{several}"
    )


def _tensor(values: Doubles, label: str, noise: float = 0.0) -> None:
    show_html(tensor_html(values, label, noise=noise))
