"""Where the reader is in the quiz: the topic and round chosen, the score, and how much of each topic is mastered.

The round stands in the link and says the topic with it: the rounds go from topic to topic.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape

import streamlit as st

from engine.quiz import Answers, Level, Topic, questions, rounds
from pages.components.shell import keeper
from pages.components.shell.view import View

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


def topic_of(number: int) -> Topic:
    """The topic of a round."""
    return rounds()[number - 1][0].topic


def rounds_on(topic: Topic) -> list[int]:
    """The numbers of a topic's rounds."""
    return [number for number in range(1, len(rounds()) + 1) if topic_of(number) is topic]


def topic_label(topic: Topic) -> str:
    """A topic with its level."""
    return f"Level {topic.level}, {topic.level.title}: {topic.title}"


def choose_round(view: View) -> None:
    """The topic, and the round where a topic has several; each choice is a round in the link.

    Another round starts at the top of the page: streamlit would leave the reader at the foot of the one before.
    """
    start = st.components.v2.component(
        "start_of_the_round", html='<div class="top" tabindex="-1"></div>', js=_TO_THE_TOP
    )
    start(data=view.round, key="start of the round")
    own = rounds_on(topic_of(view.round))
    firsts = [rounds_on(topic)[0] for topic in Topic if rounds_on(topic)]
    left, right = st.columns([2, 1])
    with left:
        st.selectbox(
            "Level and topic",
            firsts,
            format_func=lambda number: topic_label(topic_of(number)),
            **keeper.bound("topic", own[0], _on_round),
        )
    with right:
        st.pills(
            "Round of this topic",
            own,
            required=True,
            **keeper.bound("round", view.round, _on_round, tuple(own)),
        )


def _on_round(view: View, number: int) -> View:
    return replace(view, round=number)


def show_score(view: View) -> None:
    """The head of the round: its topic and level, how far the reader is in it, and how many of all first answers were right."""
    answers, here, topic = Answers(view.answers), rounds()[view.round - 1], topic_of(view.round)
    done = [q for q in questions() if answers.answered(q)]
    right = sum(map(answers.right_at_first, done))
    st.header(f"Round {view.round} of {len(rounds())}: {topic.title}", anchor=False)
    st.markdown(
        f"Level {topic.level}, {topic.level.title} · {sum(map(answers.answered, here))} of {len(here)} answered in this "
        f"round · **score {right} of {len(done)}** at the first try"
    )


def show_mastery(view: View) -> None:
    """How many questions of each topic are mastered: answered rightly when last asked."""
    answers = Answers(view.answers)
    levels = "".join(_level_html(level, answers) for level in Level)
    st.html(f'<div class="lab mastery">{_STYLE}{levels}</div>')
    st.caption(
        f"{sum(map(answers.mastered, questions()))} of {len(questions())} questions mastered. A question is mastered once "
        "your last answer to it is right. Your answers stand in the page's address and nowhere else: bookmark it to go on "
        "another day."
    )


def _level_html(level: Level, answers: Answers) -> str:
    rows = "".join(_topic_html(topic, answers) for topic in Topic if topic.level is level)
    title = f"Level {level}: {escape(level.title)}"
    return f'<section><strong>{title}</strong><ul aria-label="{title}">{rows}</ul></section>'


def _topic_html(topic: Topic, answers: Answers) -> str:
    asked = [q for q in questions() if q.topic is topic]
    mastered = sum(map(answers.mastered, asked))
    share = 100 * mastered / max(len(asked), 1)
    return (
        f"<li><span>{escape(topic.title)}</span> <span>{mastered} of {len(asked)} mastered</span>"
        f'<div class="bar"><div style="width: {share:.0f}%"></div></div></li>'
    )


_STYLE = """<style>
.mastery { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: .4rem 1.5rem; }
.mastery ul { list-style: none; font-size: .85rem; margin: .2rem 0 0; padding: 0; }
/* Streamlit sizes list items by a rule of its own. */
.mastery li { font-size: inherit; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 .6rem; margin: 0 0 .3rem; }
.mastery .bar { flex-basis: 100%; height: .4rem; border-radius: .2rem; background: var(--line); overflow: hidden; }
.mastery .bar div { height: 100%; background: light-dark(#0a6b33, #7fd69a); }
</style>"""
