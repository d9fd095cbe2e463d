"""The quiz's page: what stands on it before and after a prediction, what it asks again, and what it counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from engine import Settings
from engine.quiz import Answers, Question, Topic, proof_of, questions, rounds
from pages.components.parts.quiz import AT_ONCE, options_in_order
from tests.pages.test_pages import html, opened, text

FIRST = rounds()[0]
PROVE = "Let torch run the proof"


def wrong(question: Question) -> int:
    """An option that is not right."""
    return (proof_of(question).right + 1) % 4


def answered(asked: tuple[Question, ...], *, rightly: bool) -> Answers:
    answers = Answers()
    for question in asked:
        answers = answers.choosing(question, proof_of(question).right if rightly else wrong(question))
    return answers


def predict(app: AppTest, option: int) -> None:
    """Answers the first question that is asked, by the option's place in the bank."""
    next(r for r in app.main.radio if r.label == "Your prediction").set_value(option).run()
    next(b for b in app.main.button if b.label == PROVE and not b.disabled).click().run()
    assert not app.exception


def press(app: AppTest, label: str) -> None:
    next(b for b in app.main.button if b.label == label).click().run()
    assert not app.exception


def headings(app: AppTest) -> list[str]:
    return [str(each.value) for each in app.header]


def asked(app: AppTest) -> list[list[str]]:
    """The options of each question that waits for an answer."""
    return [list(r.options) for r in app.main.radio if r.label == "Your prediction"]


def link(app: AppTest) -> str:
    return "".join(app.query_params["answers"])


def test_before_the_answer_the_code_is_shown_and_nothing_that_tells() -> None:
    app = opened("pages/quiz.py")
    assert [code.value.strip() for code in app.main.code] == [q.shown.strip() for q in FIRST]
    said = text(app)
    for question in FIRST:
        assert question.snippet not in said
        assert not any(option.explanation in said for option in question.options)


def test_after_the_answer_the_whole_script_its_output_and_every_reason_are_shown() -> None:
    app = opened("pages/quiz.py", answers=answered(FIRST[:1], rightly=True).text)
    shown = [code.value.strip() for code in app.main.code]
    assert shown[:2] == [FIRST[0].snippet.strip(), proof_of(FIRST[0]).output]
    assert all(option.explanation in text(app) for option in FIRST[0].options)


def test_what_was_wrong_is_asked_once_more_at_the_end_of_its_round() -> None:
    app = opened("pages/quiz.py")
    predict(app, wrong(FIRST[0]))
    assert "Once more" not in headings(app)
    for question in FIRST[1:]:
        predict(app, proof_of(question).right)
    assert headings(app)[-1] == "Once more"
    assert f"Round 1: {len(FIRST) - 1} of {len(FIRST)} right at the first try" in text(app)
    texts = [option.text for option in FIRST[0].options]
    (offered,) = asked(app)
    assert offered != texts
    assert sorted(offered) == sorted(texts)
    predict(app, proof_of(FIRST[0]).right)
    assert "Right, this time." in [s.value for s in app.success]
    assert not asked(app)
    assert f"score {len(FIRST) - 1} of {len(FIRST)}" in text(app)
    assert f"{len(FIRST)} of {len(FIRST)} mastered" in text(app)
    assert Answers(link(app)).repeated(FIRST[0])


def test_the_proof_of_the_last_answer_stays_open_and_earlier_wrong_ones_are_folded_away() -> None:
    app = opened("pages/quiz.py")
    for question in FIRST:
        predict(app, wrong(question))
    folds = [each for each in app.main.expander if "asked once more below" in each.label]
    assert [each.proto.expanded for each in folds] == [False] * (len(FIRST) - 1) + [True]
    assert len(asked(app)) == len(FIRST)


def test_a_question_that_is_wrong_once_more_can_be_asked_again_until_it_is_right() -> None:
    app = opened("pages/quiz.py")
    predict(app, wrong(FIRST[0]))
    for question in FIRST[1:]:
        predict(app, proof_of(question).right)
    for _ in range(2):
        predict(app, wrong(FIRST[0]))
        assert len(app.error) == 1
        assert not asked(app)
        press(app, "Ask me again")
        assert len(asked(app)) == 1
    predict(app, proof_of(FIRST[0]).right)
    assert Answers(link(app)).mastered(FIRST[0])


def test_what_was_wrong_comes_first_of_all_in_the_next_visit() -> None:
    later = rounds()[-1][1]
    app = opened("pages/quiz.py", answers=Answers().choosing(later, wrong(later)).text)
    assert headings(app)[0] == "From your last visit"
    assert sorted(asked(app)[0]) == sorted(option.text for option in later.options)
    assert f"{later.level.title}: {later.topic.title}" in text(app)
    predict(app, proof_of(later).right)
    assert headings(app)[0] == "From your last visit"
    assert "Right, this time." in [s.value for s in app.success]
    press(app, "Done with these")
    assert "From your last visit" not in headings(app)
    assert Answers(link(app)).mastered(later)


def test_a_link_without_answers_that_comes_in_the_same_visit_begins_anew() -> None:
    app = opened("pages/quiz.py", answers=answered(FIRST[:1], rightly=False).text)
    assert "From your last visit" in headings(app)
    app.session_state["kept view"] = replace(app.session_state["kept view"], answers="")
    app.run()
    assert not app.exception
    assert "From your last visit" not in headings(app)
    assert len(asked(app)) == len(FIRST)
    assert not app.error


def test_a_later_try_that_was_wrong_comes_back_too_and_what_is_mastered_does_not() -> None:
    still_wrong = answered(FIRST[:1], rightly=False).choosing(FIRST[0], wrong(FIRST[0]))
    mastered = still_wrong.choosing(FIRST[0], proof_of(FIRST[0]).right)
    assert "From your last visit" in headings(opened("pages/quiz.py", answers=still_wrong.text))
    assert "From your last visit" not in headings(opened("pages/quiz.py", answers=mastered.text))


def test_many_wrong_answers_come_a_few_at_a_time() -> None:
    first = [question for turn in rounds() for question in turn][: AT_ONCE + 1]
    app = opened("pages/quiz.py", round=len(rounds()), answers=answered(tuple(first), rightly=False).text)
    assert len(asked(app)) == AT_ONCE + len(rounds()[-1])
    for question in first[:AT_ONCE]:
        predict(app, proof_of(question).right)
    press(app, "The next 1 from your last visit")
    assert len(asked(app)) == 1 + len(rounds()[-1])
    press(app, "Not now")
    assert "From your last visit" not in headings(app)


def test_a_question_is_never_asked_twice_on_a_page() -> None:
    app = opened("pages/quiz.py", answers=answered(FIRST, rightly=False).text)
    assert len(asked(app)) == len(FIRST)
    press(app, "Not now")
    assert headings(app)[-1] == "Once more"
    assert len(asked(app)) == len(FIRST)


def test_start_over_forgets_everything() -> None:
    app = opened("pages/quiz.py", round=2, answers=answered(FIRST, rightly=False).text)
    press(app, "Start over")
    assert "answers" not in app.query_params
    assert "round" not in app.query_params
    assert "From your last visit" not in headings(app)
    assert len(asked(app)) == len(FIRST)


@pytest.mark.parametrize("topic", list(Topic))
def test_each_topic_can_be_chosen_and_says_its_level(topic: Topic) -> None:
    app = opened("pages/quiz.py", round=2)
    chosen = next(
        o
        for o in app.main.selectbox(key="topic").options
        if o.endswith(f"{topic.level.title}: {topic.title}")
    )
    app.main.selectbox(key="topic").select(chosen).run()
    assert not app.exception
    number = next(n for n, turn in enumerate(rounds(), start=1) if turn[0].topic is topic)
    assert headings(app) == [f"Round {number} of {len(rounds())}: {topic.title}"]
    assert f"Level {topic.level}, {topic.level.title}" in text(app)
    assert "".join(app.query_params.get("round", "1")) == str(number)


def test_a_round_of_the_topic_can_be_chosen() -> None:
    first = next(n for n, turn in enumerate(rounds(), start=1) if turn[0].topic is Topic.LOOP)
    app = opened("pages/quiz.py", round=first)
    app.main.button_group(key="round").set_value(first + 1).run()
    assert "".join(app.query_params["round"]) == str(first + 1)
    assert len(asked(app)) == len(rounds()[first])


def test_the_mastery_of_each_topic_is_the_share_of_its_right_last_answers() -> None:
    app = opened("pages/quiz.py", answers=answered(FIRST[:2], rightly=True).text)
    (shown,) = [each for each in html(app) if 'class="lab mastery"' in each]
    counts = re.findall(r"<span>([^<]*)</span> <span>(\d+) of (\d+) mastered</span>", shown)
    expected = {t.title: sum(q.topic is t for q in questions()) for t in Topic}
    assert {title: int(total) for title, _, total in counts} == expected
    mastered = {title: int(done) for title, done, _ in counts}
    assert mastered.pop(FIRST[0].topic.title) == 2
    assert set(mastered.values()) == {0}


@pytest.mark.parametrize("question", questions(), ids=lambda question: question.name)
def test_at_a_later_try_every_option_stands_elsewhere(question: Question) -> None:
    orders = [options_in_order(question, Answers(text * len(questions()))) for text in ("", "1", "a")]
    assert orders[0] == [0, 1, 2, 3]
    assert all(sorted(order) == orders[0] for order in orders)
    assert all(len(set(places)) == len(orders) for places in zip(*orders, strict=True))


@contextmanager
def with_picture(question: Question, picture: Settings) -> Iterator[None]:
    """The bank with a picture for that question, and for no other of the first round."""
    before = [each.picture for each in FIRST]
    for each in FIRST:
        object.__setattr__(each, "picture", picture if each is question else None)
    yield
    for each, its in zip(FIRST, before, strict=True):
        object.__setattr__(each, "picture", its)


@pytest.fixture
def pictured() -> Iterator[Question]:
    """A question of the first round with a picture: a network whose first layer gets no gradient."""
    with with_picture(FIRST[1], Settings("classifier", detach="hidden_1")):
        yield FIRST[1]


def pipelines(app: AppTest) -> list[str]:
    return [each for each in html(app) if 'class="pipeline"' in each]


def test_the_picture_hides_the_gradients_until_the_prediction_is_made(pictured: Question) -> None:
    (before,) = pipelines(opened("pages/quiz.py"))
    assert "Linear layer hidden_1" in before
    assert "60 rows x 12 columns" in before
    assert re.search(r"values from -?[\d.]+ to [\d.]+", before)
    assert "gradient?" in before
    answers = Answers().choosing(pictured, proof_of(pictured).right)
    (after,) = pipelines(opened("pages/quiz.py", answers=answers.text))
    assert "gradient?" not in after
    for tells in (
        "the gradient stops here",
        "no gradient",
        "← gradient",
        "box cut",
        "starved",
        "no longer tracked",
    ):
        assert tells not in before
    for told in ("the gradient stops here", "✕ no gradient", "box cut", "starved"):
        assert told in after


def test_the_picture_is_of_the_run_with_its_detach() -> None:
    with with_picture(FIRST[1], Settings()):
        (shown,) = pipelines(opened("pages/quiz.py"))
    assert "value 0.8523" in shown  # where the loss stays: nothing learns


def test_the_picture_leads_to_its_run_only_after_the_prediction(pictured: Question) -> None:
    links = [link.proto.query_string for link in opened("pages/quiz.py").main.get("page_link")]
    assert not links
    answers = Answers().choosing(pictured, proof_of(pictured).right)
    (leads,) = opened("pages/quiz.py", answers=answers.text).main.get("page_link")
    assert "experiment=classifier" in leads.proto.query_string
    assert f"answers={answers.text}" in leads.proto.query_string
