"""The instructor's page: the choices that make a link for a class, the link, and what a learner sees who opens it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st

from engine.quiz import rounds
from engine.settings import NOWHERE
from pages.components.shell.controls import describe
from pages.components.shell.menu import PAGES, PageFile
from pages.components.shell.view import PARTS, Part, View

_FOR_A_CLASS = tuple(page for page in PAGES if page.path != "pages/for_instructors.py")
_PREDICTS = ", ".join(page.title for page in PAGES if page.predicts)
_PARTS: dict[Part, str] = {
    "verdict": "the verdict, and the sentences that sum the training up",
    "story": "what the detach is for",
    "code": "the script, and its lines that matter",
}


@dataclass(frozen=True)
class ClassLink:
    """A page and the view that it opens on."""

    page: PageFile
    view: View

    def address(self, app: str) -> str:
        """The link, in an app that stands at that address."""
        return f"{app}/{self.page.address}?{urlencode(self.view.query())}"

    def seen(self) -> tuple[str, ...]:
        """What a learner sees who opens it, each in a sentence (Markdown)."""
        page, view = self.page, self.view
        title = "Home" if page == PAGES[0] else page.title
        said = [f"The page **{title}**: {page.about[0].lower()}{page.about[1:]}"]
        if title == "Quiz":
            said.append(f"The quiz starts with round {_round(view.round)}. No question is answered yet.")
        if page.shows_run:
            said.append(f"The run: {describe(view.settings)}.")
        if page.predicts and view.predict:
            said.append(
                "There is no detach to predict anything about, so nothing is asked."
                if view.settings.detach == NOWHERE
                else f"One question with its options{', and the lines of code that matter' if view.shows('code') else ''}. The rest of the page comes once the learner has predicted. A run that leaves nothing to predict is shown at once."
            )
        if view.sweep and title == "Training trace":
            said.append("The sweep over learning rates is open.")
        if view.reference and title == "Detach in practice":
            said.append("The table of ten ways to take values out of a graph is open.")
        if view.hidden:
            parts = ", ".join(_PARTS[part] for part in view.hidden)
            said.append(f"Left out where the page has it: {parts}. One button on the left brings it back.")
        said.append(
            "The controls on the left, so each learner can change the run."
            if view.controls
            else "No controls: the run stays as you chose it. One button on the left brings them back."
        )
        return tuple(said)


def _round(number: int) -> str:
    """A round with the topics of its questions."""
    topics = dict.fromkeys(question.topic.title for question in rounds()[number - 1])
    return f"{number} of {len(rounds())}: {', '.join(topics)}"


def choose_link(view: View) -> ClassLink:
    """What the link opens on; the view's own answers and its step of the tour are left out."""
    page = st.selectbox(
        "The page it opens on",
        _FOR_A_CLASS,
        format_func=lambda page: "Home" if page == PAGES[0] else page.title,
        key="class page",
    )
    hide = st.checkbox("Hide the controls", key="class hides")
    predict = st.checkbox("Predict first", help=f"On {_PREDICTS}.", key="class predicts")
    parts = st.multiselect(
        "Leave out of the page",
        PARTS,
        format_func=lambda part: _PARTS[part].capitalize(),
        key="class parts",
        placeholder="Nothing",
    )
    made = replace(
        view,
        controls=not hide,
        predict=predict,
        hidden=tuple(part for part in PARTS if part in parts),
        answers="",
        tour=0,
        sweep=False,
        seeds=False,
        reference=False,
    )
    if page.title == "Quiz":
        made = replace(
            made,
            round=st.selectbox(
                "The quiz's round", range(1, len(rounds()) + 1), format_func=_round, key="class round"
            ),
        )
    if page.title == "Training trace":
        made = replace(made, sweep=st.checkbox("Open the sweep over learning rates", key="class sweep"))
    if page.title == "Detach in practice":
        made = replace(made, reference=st.checkbox("Open the reference table", key="class reference"))
    return ClassLink(page, made)


def show_link(made: ClassLink) -> None:
    """The link to copy, and what it shows."""
    here = (st.context.url or "").partition("?")[0].rpartition("/")[0]
    st.header("The link", anchor=False)
    st.code(made.address(here), language=None, wrap_lines=True)
    st.header("What a learner sees", anchor=False)
    st.markdown("\n".join(f"- {sentence}" for sentence in made.seen()))
    st.page_link(made.page.path, label="Open it as a learner →", query_params=made.view.query())
