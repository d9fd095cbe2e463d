"""The charts: altair, drawn as SVG, each with a description for those who do not see it.

The twins differ by dash and by the shape of their points as well as by colour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import altair as alt
import pandas as pd
import streamlit as st

from engine import Trace
from engine.sweep import Sweep

WITHOUT, WITH = "without detach", "with detach"
_TWINS = [WITHOUT, WITH]
_COLOURS = ["#2f6fde", "#c2570c"]
_LAYER_COLOURS = ["#2f6fde", "#0d8a66", "#c2570c", "#8b5cf6", "#b3266b", "#6b7280"]
_POINTS_UP_TO = 20


def show_losses(trace: Trace, epoch: int) -> None:
    """Both losses over the epochs; the chosen epoch is a vertical line."""
    rows = [
        (number, name, loss)
        for run, name in zip(trace.runs, _TWINS, strict=True)
        for number, loss in enumerate(run.losses, start=1)
    ]
    gone = max(sum(not math.isfinite(loss) for loss in run.losses) for run in trace.runs)
    left_out = f" {gone} epochs are not drawn: their loss is not finite." if gone else ""
    ends = ", ".join(
        f"{name} none, the step raised"
        if run.refusal and math.isnan(run.losses[-1])
        else f"{name} from {run.losses[0]:.4f} to {run.losses[-1]:.4f}"
        for run, name in zip(trace.runs, _TWINS, strict=True)
    )
    _show(
        _lines(rows, "loss", "twin", _TWINS, epoch, dashed=True),
        f"Loss over {trace.settings.epochs} epochs: {ends}.{left_out}",
        "losses",
    )


def show_series(
    values: Mapping[str, Sequence[float]], what: str, epoch: int | None, key: str, along: str = "epoch"
) -> None:
    """One number an epoch for each twin, such as the experiment's own measure; or one for each of something else."""
    rows = [(n, name, value) for name, series in values.items() for n, value in enumerate(series, start=1)]
    if not any(math.isfinite(value) for _, _, value in rows):
        return
    ends = ", ".join(f"{name}: {_range(series)}" for name, series in values.items() if series)
    _show(
        _lines(rows, what, "twin", _TWINS, epoch, dashed=True, along=along),
        f"{what[0].upper()}{what[1:]}, {ends}.",
        key,
    )


def show_sweep(sweep: Sweep, rules: Mapping[str, float], description: str) -> None:
    """Both twins' final loss over the learning rates, both on a log scale; each of `rules` is a vertical line.

    A loss far above the first is not drawn: what is drawn reaches ten times above it.
    """
    rows = [
        (rate, name, loss)
        for curve, name in zip(sweep.curves, _TWINS, strict=True)
        for rate, loss in zip(curve.rates, curve.losses, strict=True)
        if 0 < loss <= 10 * curve.first
    ]
    drawn = [loss for _, _, loss in rows] or [1.0]
    lowest, highest = min(drawn), max(drawn)
    room = max(highest / lowest, 1.5) ** (0.13 * len(rules))  # above the lines, for the labels
    x = alt.X(
        "rate:Q",
        title="learning rate",
        scale=alt.Scale(type="log", domain=[sweep.rates[0], sweep.rates[-1]], nice=False),
        axis=alt.Axis(format="~g", values=[1e-4, 1e-3, 1e-2, 1e-1, 1.0]),
    )
    y = alt.Y(
        "loss:Q",
        title=f"loss in epoch {sweep.settings.epochs}",
        scale=alt.Scale(type="log", domain=[lowest, highest * room]),
        axis=alt.Axis(format=".2~g", tickCount=5),
    )
    colour = alt.Color(
        "twin:N",
        scale=alt.Scale(domain=_TWINS, range=_COLOURS),
        legend=alt.Legend(orient="top", title=None, symbolType="stroke"),
    )
    dash = alt.StrokeDash("twin:N", scale=alt.Scale(domain=_TWINS), legend=None)
    tips = [alt.Tooltip("rate:Q", format=".4g"), "twin:N", alt.Tooltip("loss:Q", format=".6g")]
    base = alt.Chart(pd.DataFrame(rows, columns=["rate", "twin", "loss"]))
    line = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash)
    points = base.mark_point(size=60, filled=True, opacity=0).encode(x=x, y=y, color=colour, tooltip=tips)
    middle = math.sqrt(sweep.rates[0] * sweep.rates[-1])
    marks = [
        mark
        for number, (label, rate) in enumerate(rules.items())
        for mark in _rule(x, rate, label, 3 + 13 * number, leftwards=rate >= middle)
    ]
    _show(alt.layer(*marks, line, points), description, "sweep chart")


def _rule(x: alt.X, rate: float, label: str, down: int, *, leftwards: bool) -> list[alt.Chart]:
    """A vertical line and its label, so many pixels from the top, on the side where there is more room."""
    base = alt.Chart(pd.DataFrame({"rate": [rate], "label": [label]})).encode(x=x)
    align: Literal["right", "left"] = "right" if leftwards else "left"
    return [
        base.mark_rule(strokeDash=[2, 2], color="gray"),
        base.mark_text(align=align, dx=-4 if leftwards else 4, baseline="top", color="gray").encode(
            y=alt.value(down), text="label:N"
        ),
    ]


def show_by_layer(
    trace: Trace, epoch: int, values: Mapping[str, Sequence[Sequence[float | None]]], what: str, key: str
) -> None:
    """One panel a twin, one line a layer. `values` holds, for each twin, one sequence a layer."""
    layers = list(trace.attached.layers)
    rows = [
        (number, twin, layer, value)
        for twin, series in values.items()
        for layer, numbers in zip(layers, series, strict=True)
        for number, value in enumerate(numbers, start=1)
    ]
    known = [value for _, _, _, value in rows if value is not None and math.isfinite(value)]
    highest = max(known, default=0.0) or 1.0
    for column, twin in zip(st.columns(2), values, strict=True):
        mine = [(number, layer, value) for number, name, layer, value in rows if name == twin]
        missing = [name for name in layers if all(v is None for _, layer, v in mine if layer == name)]
        said = "; ".join(
            f"{layer}: none in any epoch"
            if layer in missing
            else f"{layer}: {_range(v for _, name, v in mine if name == layer)}"
            for layer in layers
        )
        with column:
            st.markdown(f"**{twin}**")
            if len(missing) == len(layers):
                st.info(f"Nothing to draw: no gradient came to any layer (None, not 0), {twin}.")
                continue
            _show(
                _lines(mine, what, "layer", layers, epoch, dashed=False, highest=highest),
                f"{what}, {twin}: {said}.",
                f"{key} {twin}",
            )
            if missing:
                st.caption(f"No line for {', '.join(missing)}: no gradient came (None, not 0).")


def _range(values: Iterable[float | None]) -> str:
    known = [v for v in values if v is not None]
    return f"{_figure(known[0])} at first, {_figure(known[-1])} at last"


def _figure(value: float) -> str:
    """A count as it is, another number with four digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def _lines(
    rows: Sequence[tuple[int, str, float | None]],
    what: str,
    by: str,
    names: list[str],
    epoch: int | None,
    *,
    dashed: bool,
    highest: float | None = None,
    along: str = "epoch",
) -> alt.LayerChart | alt.FacetChart:
    frame = pd.DataFrame(
        [row for row in rows if row[2] is not None and math.isfinite(row[2])], columns=[along, by, what]
    )
    last = max((row[0] for row in rows), default=1)
    x = alt.X(
        f"{along}:Q",
        title=along,
        scale=alt.Scale(domain=[1, max(last, 2)], nice=False, zero=False),
        axis=alt.Axis(tickMinStep=1, format="d"),
    )
    # Twins side by side are only comparable on the same scale.
    scale = alt.Scale(domain=[0, highest]) if highest is not None else alt.Scale()
    colours = alt.Scale(domain=names, range=_COLOURS if dashed else _LAYER_COLOURS)
    encoding = {
        "x": x,
        "y": alt.Y(
            f"{what}:Q",
            title=what,
            scale=scale,
            axis=alt.Axis(labelExpr="format(datum.value, abs(datum.value) < 1e3 ? '.3~g' : ',.4~r')"),
        ),
        "color": alt.Color(f"{by}:N", scale=colours, legend=alt.Legend(orient="top", title=None)),
        "strokeDash": alt.StrokeDash(f"{by}:N", scale=alt.Scale(domain=names), legend=None),
        "shape": alt.Shape(f"{by}:N", scale=alt.Scale(domain=names), legend=None),
        "tooltip": [alt.Tooltip(f"{along}:Q", format="d"), f"{by}:N", alt.Tooltip(f"{what}:Q", format=".6g")],
    }
    base = alt.Chart(frame)
    line = base.mark_line(strokeWidth=2).encode(
        **{k: v for k, v in encoding.items() if k not in ("shape", "tooltip")}
    )
    size, opacity = (60, 1.0) if last <= _POINTS_UP_TO else (80, 0.0)
    points = base.mark_point(size=size, filled=True, opacity=opacity).encode(
        **{k: v for k, v in encoding.items() if k != "strokeDash"}
    )
    if epoch is None:
        return alt.layer(line, points)
    rule = alt.Chart(pd.DataFrame({along: [epoch]})).mark_rule(strokeDash=[2, 2], color="gray").encode(x=x)
    return alt.layer(rule, line, points)


def _show(chart: alt.LayerChart | alt.FacetChart, description: str, key: str) -> None:
    drawn = chart.properties(
        height=280, width="container", description=description, usermeta={"embedOptions": {"renderer": "svg"}}
    )
    st.altair_chart(drawn, width="stretch", key=key)
    st.caption(description)
