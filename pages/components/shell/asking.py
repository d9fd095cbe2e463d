"""A question that is asked before the run answers it: its options on the page until the reader has predicted.

What was predicted lives in the session alone.
"""

from __future__ import annotations

from collections.abc import Hashable

import streamlit as st

from engine.evidence.predictions import Prediction

_PREDICTED = "predictions"


def predicted(asked: Prediction, about: Hashable) -> int | None:
    """The option that the reader predicted about this run or step, or None until then.

    A question that has become another one, by its options or by what is right, is asked anew.
    """
    return _made().get((about, asked))


def ask(asked: Prediction, about: Hashable) -> None:
    """The question with its options, and a button that is open once one is picked."""
    key = (about, asked)
    with st.container(border=True):
        picked = st.radio(
            f"**{asked.question}**",
            range(len(asked.options)),
            index=None,
            format_func=asked.options.__getitem__,
            key=f"predict {key}",
        )
        st.button(
            "Let the run answer", disabled=picked is None, on_click=_made().__setitem__, args=(key, picked)
        )


def _made() -> dict[tuple[Hashable, Prediction], int]:
    made: dict[tuple[Hashable, Prediction], int] = st.session_state.setdefault(_PREDICTED, {})
    return made


def show_outcome(asked: Prediction, picked: int) -> None:
    """Whether the prediction was right, and why."""
    said = f"**{asked.question}** You predicted: {asked.options[picked].rstrip('.')}. "
    if picked == asked.right:
        st.success(f"{said}**Right.** {asked.why}")
    else:
        st.error(f"{said}**Not quite.** It is: {asked.options[asked.right].rstrip('.')}. {asked.why}")
