"""A plain page with the charts of the training trace: no torch, ready specs, numbers computed beforehand.

What it takes to draw them again is what streamlit, vega and the browser need for charts of this size. In the lesson
the training trace has four: the losses of both twins, the one gradient norm that there is, and how far each twin has
moved.
"""

import math
from typing import Any

import streamlit as st

LONGEST = 500
_FALLING = [0.85 * math.exp(-epoch / 40) for epoch in range(LONGEST)]
_RISING = [1.2 - falling for falling in _FALLING]
_FLAT = [0.85] * LONGEST
CHARTS = {
    "loss": {"without detach": _FALLING, "with detach": _FLAT},
    "gradient norm": {"linear": _FALLING},
    "distance": {"linear": _RISING},
    "distance, with detach": {"linear": _FLAT},
}


def chart(what: str, series: dict[str, list[float]], epochs: int) -> dict[str, Any]:
    """One chart as vega-lite takes it, with its rows in it."""
    color = {"field": "line", "type": "nominal", "legend": {"orient": "top", "title": None}}
    scale = {"domain": [1, max(epochs, 2)], "nice": False, "zero": False}
    encoding: dict[str, Any] = {
        "x": {"field": "epoch", "type": "quantitative", "scale": scale, "axis": {"tickMinStep": 1}},
        "y": {"field": "value", "type": "quantitative", "title": what},
        "color": color,
    }
    fields = ("epoch", "line", "value")
    points = encoding | {"tooltip": [{"field": field} for field in fields]}
    rows = [
        (n, line, value) for line, all_ in series.items() for n, value in enumerate(all_[:epochs], start=1)
    ]
    return {
        "data": {"values": [dict(zip(fields, row, strict=True)) for row in rows]},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": encoding},
            {"mark": {"type": "point", "size": 80, "filled": True, "opacity": 0}, "encoding": points},
        ],
        "height": 280,
        "width": "container",
        "usermeta": {"embedOptions": {"renderer": "svg"}},
    }


st.title("Charts")
chosen = st.slider("Epochs", 1, LONGEST, 30, key="epochs")
for title, lines in CHARTS.items():
    st.vega_lite_chart(chart(title, lines, chosen), width="stretch", key=title)
