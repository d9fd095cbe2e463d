"""The annotated source: gradient coverage as the one-file report shows it, within the page.

A component of the app's own draws it: its markup, style and script are those of the report.
"""

from __future__ import annotations

import os

import streamlit as st

from engine.recorder import StepRecord
from engine.recorder.render.coverage_page import asset, source_html
from engine.serving.cache import Cache
from pages.components.parts.tracing import Traced

_SCRIPT = """
export default function ({ parentElement, data }) {
  const frame = parentElement.querySelector(".frame");
  // The report follows the system's choice of light or dark; the page has a choice of its own.
  const ground = getComputedStyle(frame).getPropertyValue("--st-background-color").trim();
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = ground || "#fff";
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(probe.fillStyle.slice(at, at + 2), 16));
  frame.style.colorScheme = r + g + b < 382 ? "dark" : "light";
  if (frame.shown === data) return;
  frame.shown = data;
  frame.innerHTML = data;
  gradientCoverage(frame);
}
"""
_STYLE = """
.frame .coverage { color-scheme: inherit; --ground: var(--st-background-color); --text: var(--st-text-color);
  font-family: var(--st-font); --mono: var(--st-code-font, ui-monospace, monospace); }
"""

_sources: Cache[Traced, str] = Cache(32, lambda _: 1)


def show_source(traced: Traced, step: StepRecord) -> None:
    """The source of a step with every line marked, beside its parameters."""
    folder = os.path.dirname(traced.path) + os.sep  # a host's folders are nobody's business
    shown = _sources.get(traced, lambda: source_html(step).replace(folder, ""))
    draw = st.components.v2.component(
        "gradient_coverage",
        html='<div class="frame"></div>',
        css=asset("coverage.css") + _STYLE,
        js=asset("coverage.js") + _SCRIPT,
    )
    draw(data=shown, key="gradient coverage")
