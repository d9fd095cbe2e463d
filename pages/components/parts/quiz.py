"""The questions of the quiz: those of the round, those asked once more, and those left over from the last visit.

The answers are one string in the view, and so in the link (see `engine.quiz.answers`). A question stands on the page
in one of three ways: it is asked, its proof is shown, or a line says where it is asked again. Of a visit the session
keeps only what to ask again; a reload begins a new visit and loses no answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import indent

import streamlit as st

from engine.quiz import Answers, Question, prove, questions, rounds
from pages.components.draw.pipeline import main_stages, parts_of, pipeline_html
from pages.components.shell import keeper
from pages.components.shell.controls import describe
from pages.components.shell.frame import link_to
from pages.components.shell.results import show_record
from pages.components.shell.view import View

AT_ONCE = 4
"""So many questions from the last visit are asked at once."""
_VISIT = "visit to the quiz"


@dataclass(frozen=True)
class Visit:
    """What is asked again in this visit, by the questions' names."""

    left_over: tuple[str, ...] = ()
    """Those whose last answer was wrong when the visit began, until the reader has done with them."""
    asked_again: frozenset[str] = frozenset()
    """Those that are asked again although a later try was wrong as well."""
    latest: str = ""
    """The question answered last: its proof stays open."""

    @classmethod
    def current(cls, answers: Answers) -> Visit:
        """This session's visit; it begins with what is due then."""
        if _VISIT not in st.session_state:
            due = tuple(q.name for turn in rounds() for q in turn if answers.due(q))
            st.session_state[_VISIT] = cls(due, frozenset(due))
        visit: Visit = st.session_state[_VISIT]
        # A link can bring other answers meanwhile: what has none any more is no question of the last visit.
        answered = {q.name for q in questions() if answers.answered(q)}
        visit = replace(
            visit,
            left_over=tuple(name for name in visit.left_over if name in answered),
            asked_again=visit.asked_again & answered,
        )
        st.session_state[_VISIT] = visit
        return visit

    def first(self) -> list[Question]:
        """The first of those that are left over."""
        named = {question.name: question for question in questions()}
        return [named[name] for name in self.left_over[:AT_ONCE]]

    def asks_again(self, question: Question, answers: Answers) -> bool:
        """Whether a question that has an answer is waiting for another one."""
        return answers.due(question) and (not answers.repeated(question) or question.name in self.asked_again)


def show_last_visit(view: View) -> None:
    """The questions that were wrong in an earlier visit, a few at a time, before anything new."""
    answers = Answers(view.answers)
    visit = Visit.current(answers)
    if not visit.left_over:
        return
    asked, rest = visit.first(), len(visit.left_over) - AT_ONCE
    st.header("From your last visit", anchor=False)
    which = "this question" if len(visit.left_over) == 1 else f"these {len(visit.left_over)} questions"
    at_a_time = f", {AT_ONCE} at a time" if rest > 0 else ""
    st.markdown(f"When you left, your last answer to {which} was wrong. Predict once more{at_a_time}.")
    for question in asked:
        _show_again(view, question)
    done = not any(visit.asks_again(question, answers) for question in asked)
    more = f"The next {min(rest, AT_ONCE)} from your last visit" if rest > 0 else "Done with these"
    st.button(more if done else "Not now", key="go on" if done else "put off", on_click=_leave, args=(done,))
    st.divider()


def show_round(view: View) -> None:
    """The questions of the round; once all are answered, those whose first answer was wrong are asked once more."""
    answers, here = Answers(view.answers), rounds()[view.round - 1]
    visit = Visit.current(answers)
    over = all(map(answers.answered, here))
    above = visit.first()
    again = [q for q in here if over and q not in above and not answers.right_at_first(q)]
    for question in here:
        if question in above:
            _show_place(question, "is asked above, from your last visit")
        elif question in again:
            _show_earlier(view, question, is_open=question.name == visit.latest)
        elif answers.answered(question):
            _show_proof(view, question)
        else:
            _ask(view, question)
    if again:
        st.header("Once more", anchor=False)
        which = "this question" if len(again) == 1 else "each of these questions"
        st.markdown(f"Your first answer to {which} was wrong. The options stand in another order now.")
        for question in again:
            _show_again(view, question)
    if over:
        right = sum(map(answers.right_at_first, here))
        mastered = sum(map(answers.mastered, here))
        st.markdown(
            f"**Round {view.round}: {right} of {len(here)} right at the first try, {mastered} of {len(here)} mastered.**"
        )


def show_way_on(view: View) -> None:
    """The way to the rounds before and after this one, and back to the start."""
    back, on, again = st.columns(3)
    with back:
        if view.round > 1:
            st.button(
                "Previous round", on_click=keeper.change, kwargs={"round": view.round - 1}, width="stretch"
            )
    with on:
        if view.round < len(rounds()):
            st.button(
                "Another round", on_click=keeper.change, kwargs={"round": view.round + 1}, width="stretch"
            )
    with again:
        if view.answers:
            st.button("Start over", on_click=_start_over, width="stretch")


def options_in_order(question: Question, answers: Answers) -> list[int]:
    """The indices of the options as they are offered: at the first try as they are written, later turned around."""
    indices = list(range(len(question.options)))
    if not answers.answered(question):
        return indices
    tries = 2 if answers.repeated(question) else 1
    turn = 1 + (questions().index(question) + tries) % (len(indices) - 1)
    return indices[turn:] + indices[:turn]


def _show_again(view: View, question: Question) -> None:
    """A question whose answer was wrong: asked again, or the proof after its later answer."""
    answers = Answers(view.answers)
    if Visit.current(answers).asks_again(question, answers):
        _ask(view, question)
        return
    _show_proof(view, question)
    if answers.due(question):
        st.button("Ask me again", key=f"again {question.name}", on_click=_ask_again, args=(question,))


def _show_place(question: Question, where: str) -> None:
    with st.container(border=True):
        st.markdown(f"**{_title(question)}** {where}.")


def _show_earlier(view: View, question: Question, *, is_open: bool) -> None:
    """The first, wrong answer of a question that is asked once more below: folded away, if it isn't the latest."""
    if Answers(view.answers).repeated(question):
        _show_place(question, "was asked once more, below")
        return
    with st.expander(
        f"{_title(question)}: your first answer was wrong, it is asked once more below", expanded=is_open
    ):
        _prove(view, question)


def _title(question: Question) -> str:
    order = [each for turn in rounds() for each in turn]
    return f"Question {order.index(question) + 1}"


def _head(view: View, question: Question) -> None:
    st.subheader(_title(question), anchor=False)
    if question not in rounds()[view.round - 1]:
        st.caption(f"Level {question.level}, {question.level.title}: {question.topic.title}")
    st.markdown(question.prompt)


def _ask(view: View, question: Question) -> None:
    """A question with its code and options, and nothing that tells the answer."""
    answers = Answers(view.answers)
    place = f"{question.name} {answers.option(question)} {answers.repeated(question)}"
    with st.container(border=True):
        _head(view, question)
        _show_picture(view, question, gradients=False)
        st.code(question.shown, language="python", wrap_lines=True)
        picked = st.radio(
            "Your prediction",
            options_in_order(question, answers),
            index=None,
            format_func=lambda option: question.options[option].text,
            key=f"pick {place}",
        )
        st.button(
            "Let torch run the proof",
            key=f"prove {place}",
            disabled=picked is None,
            on_click=_answer,
            args=(question, picked),
        )


def _show_proof(view: View, question: Question) -> None:
    """A question with its answer and the proof."""
    with st.container(border=True):
        _prove(view, question)


def _prove(view: View, question: Question) -> None:
    """The code that decides a question, run; what it printed; and for each option why it is right or wrong."""
    _head(view, question)
    answers = Answers(view.answers)
    proof = prove(question)  # run anew, here and now: that is the point
    if answers.right_at_first(question):
        st.success("Right.")
    elif answers.mastered(question):
        st.success("Right, this time.")
    else:
        st.error(f"Not quite. The right answer: {question.options[proof.right].text}")
    _show_picture(view, question, gradients=True)
    st.markdown("The code that decides:")
    st.code(question.snippet, language="python", wrap_lines=True)
    st.markdown("What torch printed:")
    st.code(proof.output or "(nothing)", language=None, wrap_lines=True)
    for index, option in enumerate(question.options):
        mark = "✔ right" if index == proof.right else "✕ wrong"
        yours = ", **your answer**" if index == answers.option(question) else ""
        st.markdown(f"- {mark}{yours}: *{option.text}*  \n{indent(option.explanation, '  ')}")


def _show_picture(view: View, question: Question, *, gradients: bool) -> None:
    """The pipeline of the question's run, as torch recorded it; what came back only once it has been predicted."""
    if question.picture is None:
        return
    shown = View.of(question.picture)
    step = show_record(shown.settings, shown.epoch, detached=True, weights="detached")
    numbers = {stage.index: number for number, stage in enumerate(main_stages(step), start=1)}
    for part in parts_of(step):
        if part.title:
            st.markdown(f"**{part.title}**")
        st.html(pipeline_html(part, step, numbers, values=True, gradients=gradients))
    st.caption(f"{describe(shown.settings)} · the step of epoch {shown.epoch}")
    if gradients:
        link_to("pages/data_flow.py", "See this run on Data flow", view.with_settings(shown.settings))


def _answer(question: Question, picked: int) -> None:
    answers = Answers(keeper.current_view().answers)
    visit = Visit.current(answers)
    st.session_state[_VISIT] = replace(
        visit, asked_again=visit.asked_again - {question.name}, latest=question.name
    )
    keeper.change(answers=answers.choosing(question, picked).text)


def _ask_again(question: Question) -> None:
    visit: Visit = st.session_state[_VISIT]
    st.session_state[_VISIT] = replace(visit, asked_again=visit.asked_again | {question.name})


def _leave(done: bool) -> None:
    """Has done with the questions at the top: the next ones come, or where they were put off, none."""
    visit: Visit = st.session_state[_VISIT]
    st.session_state[_VISIT] = replace(visit, left_over=visit.left_over[AT_ONCE:] if done else ())


def _start_over() -> None:
    st.session_state[_VISIT] = Visit()
    keeper.change(round=1, answers="")
