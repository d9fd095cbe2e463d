"""The parts of the training trace: one epoch looked at closely, the layers, and the table of epochs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from engine import Run, Settings, Trace
from engine.evidence.observations import observe
from engine.serving.cache import Cache
from engine.text import number_text, percent_text
from pages.components.draw import charts
from pages.components.draw.tables import show_html, table_html
from pages.components.draw.tensors import tensor_html
from pages.components.draw.twins import twin_names
from pages.components.shell import keeper
from pages.components.shell.epoch import choose_epoch


def show_scrubbed(trace: Trace) -> None:
    """The loss chart with the chosen epoch, and what that epoch holds."""
    view = keeper.current_view()
    st.header("Losses", anchor=False)
    charts.show_losses(trace, view.epoch)
    epoch = choose_epoch(view, "Everything below belongs to this epoch.")
    show_html(_side_by_side(_said(run, trace.settings, epoch) for run in trace.runs))
    _show_layers(trace, epoch)
    st.header(f"The weights at the start of epoch {epoch}", anchor=False)
    show_html(_side_by_side(_weights(run, trace.settings, epoch) for run in trace.runs))


@dataclass(frozen=True)
class _Written:
    """What is written of a run's epochs."""

    observed: tuple[str, ...]
    table: str


_kept: Cache[tuple[Settings, bool], _Written] = Cache(8 * 2**20, lambda written: 2 * len(written.table))
"""By run and twin: the sentences and the table took a tenth of a rerun's time on the server."""


def _written(run: Run, settings: Settings) -> _Written:
    def compute() -> _Written:
        observed = observe(run, settings)
        return _Written(observed, _table(run, settings, observed))

    return _kept.get((settings, run.detached), compute)


def _side_by_side(twins: Iterable[str]) -> str:
    """One element for both twins: each further one costs the browser more than a millisecond at every rerun."""
    return f'<div class="twins">{"".join(f"<div>{twin}</div>" for twin in twins)}</div>'


def _said(run: Run, settings: Settings, epoch: int) -> str:
    """The loss of the epoch and what is to be said of it."""
    loss = run.losses[epoch - 1]
    said = "no loss" if run.lacks(loss) else f"loss <strong>{number_text(loss)}</strong>"
    observed = escape(_written(run, settings).observed[epoch - 1])
    return f"<strong>{_name(run, settings)}</strong>, epoch {epoch}: {said}<p><small>{observed}</small></p>"


def _weights(run: Run, settings: Settings, epoch: int) -> str:
    """Every weight at the start of the epoch."""
    tables = "".join(tensor_html(run.parameter(p.name, epoch), p.name) for p in run.parameters)
    return f"<p><strong>{_name(run, settings)}</strong></p>{tables}"


def _show_layers(trace: Trace, epoch: int) -> None:
    """How far each layer has moved, which each twin can draw, and below it the gradient norm that moved it."""
    runs = dict(zip(twin_names(trace.settings), trace.runs, strict=True))
    st.header("How far each layer has moved from its start, and its gradient norm", anchor=False)
    charts.show_by_layer(
        trace,
        {
            "distance from the start": lambda: {name: _moved(run) for name, run in runs.items()},
            "gradient norm": lambda: {name: run.gradient_norms for name, run in runs.items()},
        },
        epoch,
    )
    still = [
        f"**Never moved, {name}:** {', '.join(run.never_moved)}."
        for name, run in runs.items()
        if run.never_moved
    ]
    if still:
        st.markdown("\n\n".join(still))


def _moved(run: Run) -> list[tuple[float, ...]]:
    return [run.moved(layer)[:-1] for layer in run.layers]


def show_epochs(trace: Trace) -> None:
    """The table Epoch, Loss, Accuracy, Observation of either twin."""
    st.header("Epoch by epoch", anchor=False)
    tabs = st.tabs(twin_names(trace.settings), on_change="rerun", key="twin of the epochs")
    for tab, run in zip(tabs, trace.runs, strict=True):
        if not tab.open:
            continue  # what nobody looks at is neither sent nor drawn
        with tab:
            st.html(_written(run, trace.settings).table)


def _not_applicable(run: Run) -> str:
    """Why a figure is missing in the table."""
    if run.r2 is not None:
        return "Accuracy is N/A: a regression predicts numbers, not classes. R2 is shown instead."
    if run.accuracies is not None:
        return "R2 is N/A: a classification predicts classes. Accuracy is the share of right ones."
    return "Accuracy and R2 are N/A: there are no targets to compare the answers with."


_GOOD = {"up": "up is good", "down": "down is good", "neither": "neither way is good"}


def _table(run: Run, settings: Settings, observed: Sequence[str]) -> str:
    measure, missing = settings.described().measure, ["N/A"] * len(run.losses)
    columns = {
        "Epoch": [str(epoch) for epoch in range(1, len(run.losses) + 1)],
        "Loss (down is good)": [_figure(loss, run) for loss in run.losses],
        "Accuracy (up is good)": [percent_text(a) for a in run.accuracies] if run.accuracies else missing,
        "R2 (up is good)": [_figure(r, run, beside=1.0) for r in run.r2] if run.r2 else missing,
    }
    if measure is not None and run.measures is not None:
        title = measure.label[0].upper() + measure.label[1:]
        columns[f"{title} ({_GOOD[measure.good]})"] = [_figure(m, run) for m in run.measures]
    rows = list(zip(*columns.values(), observed, strict=True))
    table = table_html(f"Epochs {_name(run, settings)}", [*columns, "Observation"], rows, "figures")
    return f'{table}<div class="lab"><p><small>{_not_applicable(run)}</small></p></div>'


def _figure(value: float, run: Run, beside: float = 0.0) -> str:
    """A number, or a stroke where the step raised before there was one."""
    return "–" if run.lacks(value) else number_text(value, beside=beside)


def _name(run: Run, settings: Settings) -> str:
    return twin_names(settings)[run.detached]
