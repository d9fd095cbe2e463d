"""The bar of the guided tour at the top of a page: the step, its question and answer, and the way to the next one."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.components.shell import keeper
from pages.components.shell.menu import PAGES
from pages.components.shell.tour import STEPS
from pages.components.shell.view import View

PLAN = "pages/guided_tour.py"


def step_view(number: int) -> View:
    """What the reader sees in a step, counted from 1: its run at the first epoch, where both twins have the same weights."""
    return replace(View.of(STEPS[number - 1].settings), epoch=1, tour=number)


def show_bar(view: View, title: str) -> None:
    """The bar of the step that the reader takes, on the page of that title."""
    number = view.tour
    step = STEPS[number - 1]
    with st.container(border=True, key="tour"):
        st.markdown(
            f"**Tour, step {number} of {len(STEPS)}: {step.title}.** {step.paragraph}\n\n{step.does} **{step.question}**"
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            if number > 1:
                link_to_step(number - 1, f"← Step {number - 1}", title)
            if number < len(STEPS):
                link_to_step(number + 1, f"Step {number + 1} →", title)
            st.page_link(PLAN, label="All steps", query_params=replace(view, tour=0).query())
            with st.popover("Answer", type="tertiary"):
                st.markdown(step.answer)


def link_to_step(number: int, label: str, title: str) -> None:
    """A link to the view of a step, on the page of that title."""
    path, view = STEPS[number - 1].page, step_view(number)
    if title == next(page.title for page in PAGES if page.path == path):
        # A link of streamlit's to the page that it stands on leaves the address as it was.
        st.button(label, type="tertiary", on_click=keeper.keep, args=(view,))
    else:
        st.page_link(path, label=label, query_params=view.query())
