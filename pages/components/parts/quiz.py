"""The parts of the quiz: the score, a question with its proof, and the way to the next round.

The answers are one string in the view, and so in the link: a character for each question of the bank, "-" for none
yet, else the number of the option chosen. Which option is right is decided by the proof alone.
"""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from engine.quiz import Proof, Question, prove, questions, rounds
from pages.components.shell import keeper
from pages.components.shell.view import View

NONE_YET = "-"
_TO_THE_TOP = """
export default function ({ parentElement, data }) {
  const top = parentElement.querySelector(".top");
  if (top.round !== undefined && top.round !== data) {
    document.querySelector("[data-testid=stMain]").scrollTo(0, 0);
    top.focus({ preventScroll: true });
  }
  top.round = data;
}
"""


@lru_cache(maxsize=128)
def proof_of(question: Question) -> Proof:
    """The proof of a question: torch runs its snippet, once for everybody, since it always prints the same."""
    return prove(question)


def answer_to(view: View, question: Question) -> int | None:
    """The index of the option that the reader chose, or None where the question is still open."""
    place = questions().index(question)
    mark = view.answers[place : place + 1] or NONE_YET
    return int(mark) - 1 if mark in "1234" else None


def with_answer(answers: str, question: Question, option: int) -> str:
    """The string of answers with one more in it."""
    padded = list(answers.ljust(len(questions()), NONE_YET))
    padded[questions().index(question)] = str(option + 1)
    return "".join(padded)


def show_score(view: View, chosen: int) -> None:
    """How far the reader is in this round and in the whole bank, and how many answers were right.

    Another round starts here: streamlit would leave the reader at the foot of the page.
    """
    start = st.components.v2.component(
        "start_of_the_round", html='<div class="top" tabindex="-1"></div>', js=_TO_THE_TOP
    )
    start(data=chosen, key="start of the round")
    done = [q for q in questions() if answer_to(view, q) is not None]
    right = sum(answer_to(view, q) == proof_of(q).right for q in done)
    here = sum(answer_to(view, q) is not None for q in rounds()[chosen - 1])
    st.markdown(
        f"**Round {chosen} of {len(rounds())}** · {here} of {len(rounds()[chosen - 1])} answered in this round · "
        f"**score {right} of {len(done)}** answered, {len(questions())} questions in all"
    )
    st.progress(len(done) / len(questions()), text=f"{len(done)} of {len(questions())} questions answered")


def show_question(view: View, question: Question) -> None:
    """A question with its options; once it is answered, the code that proves the answer, run, and every explanation."""
    answer = answer_to(view, question)
    with st.container(border=True):
        number = questions().index(question) + 1
        st.header(f"Question {number}", anchor=False)
        st.markdown(question.prompt)
        if answer is None:
            _ask(question)
        else:
            _show_proof(question, answer)


def _ask(question: Question) -> None:
    picked = st.radio(
        "Your prediction",
        range(len(question.options)),
        index=None,
        format_func=lambda option: question.options[option].text,
        key=f"pick {question.name}",
    )
    st.button(
        "Let torch run the proof",
        key=f"prove {question.name}",
        disabled=picked is None,
        on_click=_answer,
        args=(question, picked),
    )


def _answer(question: Question, picked: int) -> None:
    keeper.change(answers=with_answer(keeper.current_view().answers, question, picked))


def _show_proof(question: Question, answer: int) -> None:
    proof = prove(question)  # run anew, here and now: that is the point
    if answer == proof.right:
        st.success("Right.")
    else:
        st.error(f"Not so. Right is: {question.options[proof.right].text}")
    st.markdown("The code that decides it:")
    st.code(question.snippet, language="python", wrap_lines=True)
    st.markdown("What torch printed:")
    st.code(proof.output or "(nothing)", language=None, wrap_lines=True)
    for index, option in enumerate(question.options):
        mark = "✔ right" if index == proof.right else "✕ wrong"
        yours = ", **your answer**" if index == answer else ""
        st.markdown(f"- {mark}{yours}: *{option.text}* {option.explanation}")


def show_round_end(view: View, chosen: int) -> None:
    """The way on once every question of the round is answered."""
    here = rounds()[chosen - 1]
    answered = [q for q in here if answer_to(view, q) is not None]
    if len(answered) == len(here):
        right = sum(answer_to(view, q) == proof_of(q).right for q in here)
        st.markdown(f"**Round {chosen}: {right} of {len(here)} right.**")
    back, on, again = st.columns(3)
    with back:
        if chosen > 1:
            st.button("Previous round", on_click=keeper.change, kwargs={"round": chosen - 1}, width="stretch")
    with on:
        if chosen < len(rounds()):
            st.button("Another round", on_click=keeper.change, kwargs={"round": chosen + 1}, width="stretch")
    with again:
        if view.answers:
            st.button(
                "Start over", on_click=keeper.change, kwargs={"round": 1, "answers": ""}, width="stretch"
            )
