"""The living picture of a run, and the same in words for who can't see it or has no use for a picture."""

from __future__ import annotations

import streamlit as st

from engine import Trace
from pages.components.canvas.component import show_scene
from pages.components.canvas.scenes import twin_scene
from pages.components.draw.pipeline import choose_part, show_pipelines
from pages.components.shell.results import show_film, show_record
from pages.components.shell.view import View


def show_picture(view: View, trace: Trace) -> None:
    """Both twins of the run; the reader moves the detach in it where the controls are shown."""
    show_scene(twin_scene(trace, show_film(trace), view.epoch, can_cut=view.controls))
    with st.expander("The picture in words"):
        without = show_record(view.settings, view.epoch, detached=False)
        with_ = show_record(view.settings, view.epoch, detached=True)
        show_pipelines(without, with_, choose_part(without, with_))
