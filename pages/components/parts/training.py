"""The parts of the training trace: the scrubbed and played epoch, the layers, and the table of epochs."""

from __future__ import annotations

import math
import time

import streamlit as st

from engine import Run, Trace
from engine.evidence.observations import observe
from engine.experiments import Measure
from engine.text import number_text, percent_text
from pages.components.draw import charts
from pages.components.draw.tables import table_html
from pages.components.draw.tensors import tensor_html
from pages.components.shell import keeper
from pages.components.shell.epoch import choose_epoch

_LAST_TICK = "last tick"
_TICK = 0.5
"""Seconds an epoch stays while playing."""
_FRAMES = 60
"""A long run is played in about so many frames."""


def show_scrubbed(trace: Trace) -> None:
    """The loss chart with the chosen epoch, which can be scrubbed or played, and what that epoch holds.

    Playing is a small fragment that moves the epoch on and runs the whole page again, so that every chart, the menu
    and the link follow. It lasts while its ticks come: who leaves the page has stopped it.
    """
    view = keeper.current_view()
    last = trace.settings.epochs
    if playing():
        st.fragment(_tick, run_every=_TICK)(last)
    st.header("Losses", anchor=False)
    charts.show_losses(trace, view.epoch)
    play, scrub = st.columns([1, 5], vertical_alignment="center")
    with scrub:
        epoch = choose_epoch(view, "Scrub through the run, or play it.")
    with play:
        _play_button(trace, view.epoch)
    for column, run in zip(st.columns(2), trace.runs, strict=True):
        with column:
            loss = run.losses[epoch - 1]
            said = "no loss" if run.lacks(loss) else f"loss **{number_text(loss)}**"
            st.markdown(f"**{_name(run)}**, epoch {epoch}: {said}")
            st.caption(observe(run)[epoch - 1])
    _show_layers(trace, epoch)
    _show_weights(trace, epoch)


def _show_weights(trace: Trace, epoch: int) -> None:
    """Every weight of both twins at the start of the epoch."""
    st.header(f"The weights at the start of epoch {epoch}", anchor=False)
    for column, run in zip(st.columns(2), trace.runs, strict=True):
        with column:
            st.markdown(f"**{_name(run)}**")
            tables = "".join(tensor_html(run.parameter(p.name, epoch), p.name) for p in run.parameters)
            st.html(f'<div class="lab">{tables}</div>')


def playing() -> bool:
    """Whether the run is being played now."""
    last_tick: float = st.session_state.get(_LAST_TICK, -math.inf)
    return time.monotonic() - last_tick < 6 * _TICK


def _tick(last: int) -> None:
    if time.monotonic() - st.session_state[_LAST_TICK] < 0.8 * _TICK:
        return  # drawn with the page, not by the clock
    epoch = min(keeper.current_view().epoch + max(1, last // _FRAMES), last)
    keeper.change(epoch=epoch)
    _play(epoch < last)
    st.rerun()


def _play(on: bool) -> None:
    st.session_state[_LAST_TICK] = time.monotonic() if on else -math.inf


def _play_button(trace: Trace, epoch: int) -> None:
    if trace.settings.epochs == 1:
        return
    if playing():
        st.button("Pause", key="pause", width="stretch", on_click=_play, args=(False,))
    else:
        st.button(
            "▶ Play", key="play", width="stretch", on_click=_start, args=(epoch == trace.settings.epochs,)
        )


def _start(from_the_first: bool) -> None:
    _play(True)
    if from_the_first:
        keeper.change(epoch=1)


def _show_layers(trace: Trace, epoch: int) -> None:
    """The gradient norm of each layer, and how far each has moved."""
    runs = dict(zip(charts.TWINS, trace.runs, strict=True))
    st.header("Gradient norm of each layer", anchor=False)
    charts.show_by_layer(
        trace, "gradient norm", lambda: {name: run.gradient_norms for name, run in runs.items()}, epoch
    )
    st.header("How far each layer has moved from its start", anchor=False)
    charts.show_by_layer(trace, "distance", lambda: {name: _moved(run) for name, run in runs.items()}, epoch)
    for name, run in runs.items():
        if run.never_moved:
            st.markdown(f"**Never moved, {name}:** {', '.join(run.never_moved)}.")


def _moved(run: Run) -> list[tuple[float, ...]]:
    return [run.moved(layer)[:-1] for layer in run.layers]


def show_epochs(trace: Trace) -> None:
    """The table Epoch, Loss, Accuracy, Observation of either twin."""
    st.header("Epoch by epoch", anchor=False)
    tabs = st.tabs([_name(run) for run in trace.runs], on_change="rerun", key="twin of the epochs")
    for tab, run in zip(tabs, trace.runs, strict=True):
        if not tab.open:
            continue  # what nobody looks at is neither sent nor drawn
        with tab:
            st.html(_table(run, trace.settings.described().measure))
            st.caption(_not_applicable(run))


def _not_applicable(run: Run) -> str:
    """Why a figure is missing in the table."""
    if run.r2 is not None:
        return "Accuracy is N/A: a regression predicts numbers, not classes. R2 stands beside it."
    if run.accuracies is not None:
        return "R2 is N/A: a classification predicts classes. Accuracy is the share of right ones."
    return "Accuracy and R2 are N/A: there are no targets that an answer could be held against."


_GOOD = {"up": "up is good", "down": "down is good", "neither": "neither way is good"}


def _table(run: Run, measure: Measure | None) -> str:
    missing = ["N/A"] * len(run.losses)
    columns = {
        "Epoch": [str(epoch) for epoch in range(1, len(run.losses) + 1)],
        "Loss (down is good)": [_figure(loss, run) for loss in run.losses],
        "Accuracy (up is good)": [percent_text(a) for a in run.accuracies] if run.accuracies else missing,
        "R2 (up is good)": [_figure(r, run, beside=1.0) for r in run.r2] if run.r2 else missing,
    }
    if measure is not None and run.measures is not None:
        title = measure.label[0].upper() + measure.label[1:]
        columns[f"{title} ({_GOOD[measure.good]})"] = [_figure(m, run) for m in run.measures]
    rows = list(zip(*columns.values(), observe(run), strict=True))
    return table_html(f"Epochs {_name(run)}", [*columns, "Observation"], rows, "figures")


def _figure(value: float, run: Run, beside: float = 0.0) -> str:
    """A number, or a stroke where the step raised before there was one."""
    return "–" if run.lacks(value) else number_text(value, beside=beside)


def _name(run: Run) -> str:
    return charts.WITH if run.detached else charts.WITHOUT
