"""The bar of the guided tour at the top of a page: the step, its question and answer, and the way to the next one.

The reader predicts first. Then the bar says what to look at, the page shows its run, and the answer can be opened.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.components.shell import keeper
from pages.components.shell.asking import ask, predicted, show_outcome
from pages.components.shell.menu import PAGES
from pages.components.shell.tour import STEPS
from pages.components.shell.view import View

PLAN = "pages/guided_tour.py"
QUIZ = "pages/quiz.py"


def step_view(number: int, of: View | None = None) -> View:
    """What the reader sees in a step, counted from 1: its run at the first epoch, where both twins have the same weights.

    What is hidden and what was answered in the quiz stays as it is in the view that the reader comes from.
    """
    opened = replace(View.of(STEPS[number - 1].settings), epoch=1, tour=number)
    if of is None:
        return opened
    return replace(opened, controls=of.controls, hidden=of.hidden, round=of.round, answers=of.answers)


def is_open(number: int) -> bool:
    """Whether the question of a step still waits for the reader's prediction."""
    return _predicted(number) is None


def _predicted(number: int) -> int | None:
    return predicted(STEPS[number - 1].asked, number)


def show_bar(view: View, title: str) -> None:
    """The bar of the step that the reader takes, on the page of that title: first the question, then what to look at."""
    number = view.tour
    step, picked = STEPS[number - 1], _predicted(number)
    left = replace(view, tour=0).query()
    with st.container(border=True, key="tour"):
        st.markdown(f"**Tour, step {number} of {len(STEPS)}: {step.title}.** {step.paragraph}")
        if picked is None:
            ask(step.asked, number)
        else:
            st.markdown(
                f"**{step.question}** You predicted: {step.options[picked].rstrip('.')}.\n\n{step.does} Then open the answer."
            )
        # What is not shown leaves its place empty: else what stood there in the step before would stay while a run is trained.
        place = st.empty()
        if view.settings not in (step.settings, *step.also):
            place.caption(
                "The page now shows another run than the step's own, which the question and the answer speak of."
            )
        with st.container(horizontal=True, vertical_alignment="center"):
            before, after, own, plan = (st.empty() for _ in range(4))
        with before:
            if number > 1:
                link_to_step(number - 1, f"← Step {number - 1}", title)
        with after:
            if number < len(STEPS):
                link_to_step(number + 1, f"Step {number + 1} →", title)
            else:
                st.page_link(QUIZ, label="Done: try the quiz →", query_params=left)
        with own:
            if view.settings != step.settings:
                st.button(
                    "The step's own run",
                    type="tertiary",
                    on_click=keeper.keep,
                    args=(step_view(number, view),),
                )
        with plan:
            st.page_link(PLAN, label="All steps", query_params=left)
        answer = st.empty()
        if picked is not None:
            with answer.expander("Answer"):
                show_outcome(step.asked, picked)


def link_to_step(number: int, label: str, title: str) -> None:
    """A link to the view of a step, on the page of that title."""
    path, view = STEPS[number - 1].page, step_view(number, keeper.current_view())
    if title == next(page.title for page in PAGES if page.path == path):
        # A link of streamlit's to the page that it stands on leaves the address as it was.
        st.button(label, type="tertiary", on_click=keeper.keep, args=(view,))
    else:
        st.page_link(path, label=label, query_params=view.query())
