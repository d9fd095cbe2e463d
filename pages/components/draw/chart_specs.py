"""The charts as Vega-Lite specifications, written with altair: what is drawn, without the data.

The data come by name when a chart is shown: "rows" is what is drawn, "rule" the place of a vertical line. Each row also
has its number as the page writes it, which is what a tooltip and a screen reader say. The twins
differ by dash and by the shape of their points as well as by colour.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import altair as alt

SHOWN = "shown"
"""The column of the numbers as they are written."""
_COLOURS = ["#2f6fde", "#c2570c"]
_LAYER_COLOURS = ["#2f6fde", "#0d8a66", "#c2570c", "#8b5cf6", "#b3266b", "#6b7280"]
_POINTS_UP_TO = 20
_ROWS, _RULE = alt.NamedData(name="rows"), alt.NamedData(name="rule")

Spec = dict[str, Any]


def lines(
    what: str,
    by: str,
    names: tuple[str, ...],
    last: int,
    along: str,
    *,
    ruled: bool,
    highest: float | None = None,
    title: str = "",
) -> Spec:
    """One line for each of `names`, in the column `by`, over `along` from 1 to `last`; twins have dashes of their own.

    `highest` is the upper end of the scale: twins side by side are only comparable on the same one. `title` stands
    above the chart, for one that has no heading of its own.
    """
    drawn = _lines(what, by, names, along, ruled, last <= _POINTS_UP_TO)
    domains: dict[str, list[float] | None] = {
        "x": [1, max(last, 2)],
        "y": None if highest is None else [0, highest],
    }
    titled = {"title": {"text": title, "anchor": "start", "fontSize": 14}} if title else {}
    return {**drawn, **titled, "layer": [_scaled(layer, domains) for layer in drawn["layer"]]}


def _scaled(layer: Spec, domains: Mapping[str, list[float] | None]) -> Spec:
    """A layer whose axes reach over these domains, where they are given."""
    encoding = dict(layer["encoding"])
    for axis, domain in domains.items():
        if axis in encoding and domain is not None:
            encoding[axis] = {
                **encoding[axis],
                "scale": {**encoding[axis].get("scale", {}), "domain": domain},
            }
    return {**layer, "encoding": encoding}


@lru_cache(maxsize=256)
def _lines(what: str, by: str, names: tuple[str, ...], along: str, ruled: bool, dotted: bool) -> Spec:
    """The same without domains: altair takes far longer to write a chart than torch to train for it."""
    domain = alt.Scale(domain=list(names))
    colours = alt.Scale(domain=list(names), range=_COLOURS if by == "twin" else _LAYER_COLOURS)
    axis = alt.Axis(
        labelExpr="format(datum.value, abs(datum.value) < 1e3 ? '.3~g' : abs(datum.value) < 1e6 ? ',.4~r' : '.2~e')"
    )
    x = alt.X(
        f"{along}:Q",
        title=along,
        scale=alt.Scale(nice=False, zero=False),
        axis=alt.Axis(tickMinStep=1, format="d"),
    )
    y = alt.Y(f"{what}:Q", title=what, axis=axis)
    legend = _legend(names)
    colour = alt.Color(f"{by}:N", scale=colours, legend=legend)
    tips = [alt.Tooltip(f"{along}:Q", format="d"), f"{by}:N", alt.Tooltip(f"{SHOWN}:N", title=what)]
    said = _said(along, f"datum[{json.dumps(along)}]", what, by)
    size, opacity = (60, 1.0) if dotted else (80, 0.0)
    base = alt.Chart(_ROWS)
    line = base.mark_line(strokeWidth=2, description=said).encode(
        x=x, y=y, color=colour, strokeDash=alt.StrokeDash(f"{by}:N", scale=domain, legend=legend)
    )
    points = base.mark_point(size=size, filled=True, opacity=opacity, description=said).encode(
        x=x, y=y, color=colour, shape=alt.Shape(f"{by}:N", scale=domain, legend=None), tooltip=tips
    )
    rule = alt.Chart(_RULE).mark_rule(strokeDash=[2, 2], color="gray").encode(x=x)
    # The legend shows the lines; with the points' shapes in it, each mark would be one of these with a dashed border.
    layers = alt.layer(*([rule] if ruled else []), line, points).resolve_legend(shape="independent")
    return _finished(layers, more=20 * max(0, len(names) - 2))


def sweep(
    names: tuple[str, str],
    rates: tuple[float, float],
    losses: tuple[float, float],
    epoch: int,
    rules: Mapping[str, float],
) -> Spec:
    """Both twins' final loss over the learning rates, both on a log scale; each of `rules` is a vertical line."""
    lowest, highest = losses
    room = max(highest / lowest, 1.5) ** (0.13 * len(rules))  # above the lines, for the labels
    x = alt.X(
        "rate:Q",
        title="learning rate",
        scale=alt.Scale(type="log", domain=list(rates), nice=False),
        axis=alt.Axis(format="~g", values=[1e-4, 1e-3, 1e-2, 1e-1, 1.0]),
    )
    y = alt.Y(
        "loss:Q",
        title=f"loss in epoch {epoch}",
        scale=alt.Scale(type="log", domain=[lowest, highest * room]),
        axis=alt.Axis(format=".2~g", tickCount=5),
    )
    legend = _legend(names)
    colour = alt.Color("twin:N", scale=alt.Scale(domain=list(names), range=_COLOURS), legend=legend)
    dash = alt.StrokeDash("twin:N", scale=alt.Scale(domain=list(names)), legend=legend)
    tips = [alt.Tooltip("rate:Q", format=".4~g"), "twin:N", alt.Tooltip(f"{SHOWN}:N", title="loss")]
    said = _said("learning rate", "format(datum.rate, '.4~g')", "loss", "twin")
    base = alt.Chart(_ROWS)
    line = base.mark_line(strokeWidth=2, description=said).encode(x=x, y=y, color=colour, strokeDash=dash)
    points = base.mark_point(size=60, filled=True, opacity=0, description=said).encode(
        x=x, y=y, color=colour, tooltip=tips
    )
    middle = math.sqrt(rates[0] * rates[1])
    marks = [
        mark
        for number, (label, rate) in enumerate(rules.items())
        for mark in _labelled(x, rate, label, 3 + 13 * number, leftwards=rate >= middle)
    ]
    return _finished(alt.layer(*marks, line, points))


@lru_cache(maxsize=64)
def dots(what: str, names: tuple[str, str]) -> Spec:
    """One dot a seed, `what` along x, the twins one below the other."""
    domain = list(names)
    twin = alt.Y("twin:N", title=None, scale=alt.Scale(domain=domain))
    colour = alt.Color("twin:N", scale=alt.Scale(domain=domain, range=_COLOURS), legend=None)
    shape = alt.Shape("twin:N", scale=alt.Scale(domain=domain), legend=None)
    tips = [alt.Tooltip("seed:Q", format="d"), "twin:N", alt.Tooltip(f"{SHOWN}:N", title=what)]
    said = _said("seed", "datum.seed", what, "twin")
    points = (
        alt.Chart(_ROWS)
        .mark_point(size=90, filled=True, opacity=0.7, description=said)
        .encode(
            x=alt.X("end:Q", title=f"{what}, last epoch", scale=alt.Scale(zero=False)),
            y=twin,
            color=colour,
            shape=shape,
            tooltip=tips,
        )
    )
    return _finished(alt.layer(points), more=-140)


def _legend(names: tuple[str, ...]) -> alt.Legend:
    """A piece of each line with its name, in as many columns as the chart has room for."""
    widest = 35 + 6.4 * max(map(len, names))
    return alt.Legend(
        orient="top",
        title=None,
        columns=alt.ExprRef(expr=f"max(1, floor(width / {widest}))"),
        symbolType="stroke",
        symbolSize=400,
        symbolStrokeWidth=2,
    )


def _said(along: str, place: str, what: str, by: str) -> alt.ExprRef:
    """What a screen reader says of a mark."""
    return alt.ExprRef(
        expr=f"{json.dumps(f'{along}: ')} + {place} + {json.dumps(f'; {what}: ')} + datum.{SHOWN} + '; {by}: ' + datum.{by}"
    )


def _labelled(x: alt.X, rate: float, label: str, down: int, *, leftwards: bool) -> list[alt.Chart]:
    """A vertical line and its label, so many pixels from the top, on the side where there is more room."""
    base = alt.Chart(alt.InlineData(values=[{"rate": rate, "label": label}])).encode(x=x)
    align: Literal["right", "left"] = "right" if leftwards else "left"
    return [
        base.mark_rule(strokeDash=[2, 2], color="gray"),
        base.mark_text(align=align, dx=-4 if leftwards else 4, baseline="top", color="gray").encode(
            y=alt.value(down), text="label:N"
        ),
    ]


def _finished(chart: alt.LayerChart | alt.FacetChart, more: int = 0) -> Spec:
    """The chart as it is sent, with so many pixels `more` for a legend of several rows."""
    spec: Spec = chart.properties(
        height=280 + more, width="container", usermeta={"embedOptions": {"renderer": "svg"}}
    ).to_dict()
    return spec
