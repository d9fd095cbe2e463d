"""Predict first: a page asks one question, hides what would tell, and lets the run answer.

In the guided tour the question is the step's own, which stands in its bar, and the page waits for that one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from engine.evidence.predictions import Prediction
from pages.components.parts.practice import show_lines
from pages.components.shell import keeper
from pages.components.shell.asking import ask, predicted, show_outcome
from pages.components.shell.tour_bar import is_open
from pages.components.shell.view import View


def wait_in_tour(view: View) -> None:
    """Where a step of the tour waits for its prediction the page ends, before anything is trained for it."""
    if view.tour and is_open(view.tour):
        _wait(view)


def predict_first(view: View, about: Callable[[], Prediction | None]) -> None:
    """Where the reader is to predict first and has not yet: the question and the code, and the page ends there.

    In the tour the question is the step's.
    """
    if view.tour:
        return
    if view.controls:
        st.toggle(
            "Predict first",
            help="Asks for your prediction before it shows the result.",
            **keeper.bound("predict", view.predict, lambda now, on: replace(now, predict=on)),
        )
    asked = about() if view.predict else None
    if asked is None:
        return
    picked = predicted(asked, view.settings)
    if picked is None:
        ask(asked, view.settings)
        _wait(view)
    else:
        show_outcome(asked, picked)


def _wait(view: View) -> None:
    """The lines to predict from, where the link does not hide them, and no more."""
    if view.shows("code"):
        show_lines(view.settings)
    st.stop()
