"""The living picture of a run, and the same in words for who can't see it or has no use for a picture."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from engine import Settings, Trace
from engine.serving.results import traces
from engine.twins.film import first_film
from pages.components.canvas.component import show_canvas
from pages.components.canvas.payload import Look
from pages.components.canvas.scenes import twin_picture
from pages.components.draw.pipeline import choose_part, show_pipelines
from pages.components.shell import keeper
from pages.components.shell.results import show_film, show_record, show_trace
from pages.components.shell.view import View


def show_first_trace(view: View) -> Trace:
    """The twin run of the view. Who has just come sees its first step while it is trained, unless it is to be predicted."""
    bar, waiting = st.container(), st.empty()
    if keeper.arrived() and not view.predict and view.settings not in traces:
        with waiting.container():
            show_canvas(twin_picture(*first_film(view.settings)), Look(), "first picture")
    with bar:
        trace = show_trace(view.settings)
    waiting.empty()
    return trace


def show_picture(view: View, trace: Trace, *, in_words: bool = True) -> None:
    """Both twins of the run; the reader moves the detach in it where the controls are shown.

    `in_words`: with the same as a list below it, for a page that has it nowhere else.
    """
    look = Look(view.epoch, view.controls, urlencode(view.query()))
    show_canvas(twin_picture(trace, show_film(trace)), look)
    if not in_words:
        return
    # What is folded away is neither recorded nor sent.
    with st.expander("The picture in words", on_change="rerun", key="picture in words") as fold:
        if not fold.open:
            return
        without = show_record(view.settings, view.epoch, detached=False)
        with_ = show_record(view.settings, view.epoch, detached=True)
        show_pipelines(without, with_, choose_part(without, with_))


def show_other_picture(view: View) -> None:
    """One click to the reference lesson, and from it back to the deeper network."""
    if not view.controls:
        return
    name, label = "lesson", "The reference lesson: one layer, where a detach stops everything"
    if view.settings.experiment == name:
        name, label = "classifier", "A deeper network: three layers, where a detach stops some"

    def open_other() -> None:
        keeper.keep(replace(keeper.current_view().with_settings(Settings(experiment=name)), epoch=1))

    st.button(label, on_click=open_other)
