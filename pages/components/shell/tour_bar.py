"""The bar of the guided tour at the top of a page: the step, its question and answer, and the way to the next one."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.components.shell.tour import STEPS
from pages.components.shell.view import View

PLAN = "pages/guided_tour.py"


def step_view(number: int) -> View:
    """What the reader sees in a step, counted from 1."""
    return replace(View.of(STEPS[number - 1].settings), tour=number)


def show_bar(view: View) -> None:
    """The bar of the step that the reader takes."""
    number = view.tour
    step = STEPS[number - 1]
    with st.container(border=True, key="tour"):
        st.markdown(
            f"**Tour, step {number} of {len(STEPS)}: {step.title}.** {step.paragraph}\n\n{step.does} **{step.question}**"
        )
        with st.container(horizontal=True):
            if number > 1:
                link_to_step(number - 1, f"← Step {number - 1}")
            if number < len(STEPS):
                link_to_step(number + 1, f"Step {number + 1} →")
            st.page_link(PLAN, label="All steps", query_params=replace(view, tour=0).query())
            with st.popover("Answer", type="tertiary"):
                st.markdown(step.answer)


def link_to_step(number: int, label: str) -> None:
    """A link to the view of a step."""
    st.page_link(STEPS[number - 1].page, label=label, query_params=step_view(number).query())
