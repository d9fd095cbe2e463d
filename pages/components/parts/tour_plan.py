"""The guided tour as a lesson plan: every step with its link, what the learner does, how long it takes, and the answer."""

from __future__ import annotations

import streamlit as st

from pages.components.shell.tour import STEPS, Step
from pages.components.shell.tour_bar import link_to_step


def show_plan(title: str) -> None:
    """The steps in order, on the page of that title."""
    minutes = sum(step.minutes for step in STEPS)
    st.caption(
        f"About {minutes} minutes. In class: one step on the screen, a show of hands, then the answer. Each step has an address of "
        "its own, which you can share."
    )
    link_to_step(1, "**Start the tour** →", title)
    for number, step in enumerate(STEPS, start=1):
        _show_step(number, step, title)


def _show_step(number: int, step: Step, title: str) -> None:
    with st.container(border=True):
        st.header(f"{number}. {step.title}", anchor=False)
        st.markdown(f"{step.paragraph}\n\n{step.does} *About {step.minutes} minutes.*\n\n**{step.question}**")
        link_to_step(number, f"Open step {number} →", title)
        with st.expander(
            "The answer, and the program that proves it", on_change="rerun", key=f"answer {number}"
        ) as fold:
            if fold.open:
                st.markdown(step.answer)
                st.code(step.program, language="python", wrap_lines=True)
                st.markdown("It ends in `holds`, which is True. Run it in the app's folder.")
