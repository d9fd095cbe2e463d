"""A reader's answers: one character a question, and what it says of first tries, of what is due and what is mastered."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.quiz import Answers, Question, proof_of, questions, readable

ASKED = questions()[1]
RIGHT = proof_of(ASKED).right
WRONG, ALSO_WRONG = [option for option in range(4) if option != RIGHT][:2]
TEXTS = st.text("-1234abcd", max_size=len(questions()))


@given(TEXTS, st.sampled_from(questions()), st.integers(0, 3))
def test_a_choice_is_read_back_and_changes_no_other_answer(text: str, asked: Question, option: int) -> None:
    before = Answers(text)
    after = before.choosing(asked, option)
    assert after.option(asked) == option
    assert readable(after.text) == after.text
    assert after.repeated(asked) == before.answered(asked)
    assert all(after.option(q) == before.option(q) for q in questions() if q is not asked)


@settings(deadline=None)
@given(TEXTS)
def test_every_question_is_open_due_or_mastered(text: str) -> None:
    answers = Answers(text)
    for question in questions():
        states = (not answers.answered(question), answers.due(question), answers.mastered(question))
        assert sum(states) == 1
        assert answers.mastered(question) or not answers.right_at_first(question)


def test_a_question_is_due_until_its_last_answer_is_right() -> None:
    first = Answers().choosing(ASKED, WRONG)
    assert first.due(ASKED)
    assert not first.repeated(ASKED)
    second = first.choosing(ASKED, ALSO_WRONG)
    assert second.due(ASKED)
    assert second.repeated(ASKED)
    third = second.choosing(ASKED, RIGHT)
    assert third.mastered(ASKED)
    assert not third.right_at_first(ASKED)


def test_the_first_try_is_what_counts_as_right_at_first() -> None:
    assert Answers().choosing(ASKED, RIGHT).right_at_first(ASKED)


@pytest.mark.parametrize(
    ("text", "options"), [("", [None, None]), ("-2", [None, 1]), ("41", [3, 0]), ("ad", [0, 3])]
)
def test_links_keep_their_meaning(text: str, options: list[int | None]) -> None:
    assert [Answers(text).option(question) for question in questions()[:2]] == options


def test_another_character_leaves_its_question_open_and_what_is_too_long_is_cut() -> None:
    assert [each for each in string.printable if readable(each) == each] == list("1234abcd-")
    assert readable("1x2é") == "1-2-"
    assert readable("1" * (len(questions()) + 1)) == "1" * len(questions())
