"""Predict first: a page asks one question, hides what would tell, and lets the run answer.

What was predicted lives in the session alone, for each run by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from engine.evidence.predictions import Prediction
from pages.components.parts.practice import show_lines
from pages.components.shell import keeper
from pages.components.shell.view import View

_PREDICTED = "predictions"


def predict_first(view: View, ask: Callable[[], Prediction | None]) -> None:
    """Where the reader wants to predict first and has not yet: the question and the code, and the page ends there."""
    if view.controls:
        st.toggle(
            "Predict first",
            help="Asks for your prediction before it shows the result.",
            **keeper.bound("predict", view.predict, lambda now, on: replace(now, predict=on)),
        )
    asked = ask() if view.predict else None
    if asked is None:
        return
    made = st.session_state.setdefault(_PREDICTED, {})
    key = (view.settings, asked.question)
    if key in made:
        _show_answer(asked, made[key])
        return
    with st.container(border=True):
        picked = st.radio(
            f"**{asked.question}**",
            range(len(asked.options)),
            index=None,
            format_func=asked.options.__getitem__,
            key=f"predict {key}",
        )
        st.button(
            "Let the run answer",
            disabled=picked is None,
            on_click=made.__setitem__,
            args=(key, picked),
        )
    show_lines(view.settings)
    st.stop()


def _show_answer(asked: Prediction, picked: int) -> None:
    """Whether the prediction was right, and why."""
    said = f"**{asked.question}** You predicted: {asked.options[picked]}. "
    if picked == asked.right:
        st.success(f"{said}**Right.** {asked.why}")
    else:
        st.error(f"{said}**Not quite.** It is: {asked.options[asked.right]}. {asked.why}")
