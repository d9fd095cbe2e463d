"""Each answer of the tour is proved by a run, and a program with another answer does not hold."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.shell.tour import STEPS, Step
from pages.components.shell.tour_bar import PLAN, step_view
from pages.components.shell.view import View
from tests.pages.test_pages import html, opened, text

ROOT = Path(__file__).parents[4]
each_step = pytest.mark.parametrize("number", range(1, len(STEPS) + 1), ids=lambda n: STEPS[n - 1].title)

OTHER = (
    ('["linear.bias", "linear.weight"]', '["linear.weight"]'),
    ("reverse=True) and", "reverse=False) and"),
    ("(False, True)", "(False, False)"),
    ('("hidden_1", "hidden_2")]\nholds', '("hidden_1", "output")]\nholds'),
    ('"kept_losses"', '"kept_losses", detach="nowhere"'),
    ("[8, 4]", "[4, 4]"),
    ('"td_target"', '"td_target", options=(("chain", "deterministic"),), detach="nowhere"'),
    ('choosing("predictor", "false")', 'choosing("predictor", "true")'),
)
"""What in the program of each step is another run, or another answer, and makes it wrong."""


def holds(step: Step) -> bool:
    names: dict[str, Any] = {}
    exec(compile(step.program, f"<{step.title}>", "exec", dont_inherit=True), names)
    return bool(names["holds"])


@each_step
def test_the_answer_of_a_step_is_proved(number: int) -> None:
    step = STEPS[number - 1]
    assert (
        repr(step.settings.experiment) in step.program.replace('"', "'")
        or step.settings.experiment == "lesson"
    )
    assert holds(step)


@each_step
def test_another_answer_is_not_proved(number: int) -> None:
    step, (right, other) = STEPS[number - 1], OTHER[number - 1]
    assert right in step.proof
    assert not _holds_or_raises(replace(step, proof=step.proof.replace(right, other)))


def _holds_or_raises(step: Step) -> bool:
    try:
        return holds(step)
    except AttributeError:  # nothing was raised, so there is no message to ask for
        return False


@each_step
def test_a_step_is_a_view_that_stands_in_a_link(number: int) -> None:
    view = step_view(number)
    assert (ROOT / STEPS[number - 1].page).exists()
    assert View.from_query(view.query()) == (view, ())
    assert view.query()["tour"] == str(number)


@each_step
def test_a_step_asks_first_and_then_shows_its_run_and_the_answer(number: int) -> None:
    step = STEPS[number - 1]
    app = opened(step.page, **step_view(number).query())
    assert not app.exception
    said = text(app)
    assert f"**Tour, step {number} of 8: {step.title}.** {step.paragraph}" in said
    assert step.does not in said
    assert step.answer not in said
    if step.page != "streamlit_app.py":  # on Home the reader makes the cut
        assert not app.get("bidi_component")
        assert "The lines that matter" in said
    assert leads_on(app) == leading(number)

    (question,) = [radio for radio in app.main.radio if radio.label == f"**{step.question}**"]
    assert tuple(question.options) == step.options
    app = question.set_value(step.right).run()
    app = next(b for b in app.button if b.label == "Let the run answer").click().run()
    assert not app.exception
    assert step.does in text(app)
    assert [box.value for box in app.success] == [
        f"**{step.question}** You predicted: {step.options[step.right]}. **Right.** {step.answer}"
    ]
    assert app.get("bidi_component")
    assert leads_on(app) == leading(number)


def leads_on(app: AppTest) -> set[str]:
    labels = [link.proto.label for link in app.main.get("page_link")] + [b.label for b in app.main.button]
    return {label for label in labels if label.startswith(("←", "Step ", "Done", "All"))}


def leading(number: int) -> set[str]:
    back = {f"← Step {number - 1}"} if number > 1 else set()
    return {*back, f"Step {number + 1} →" if number < 8 else "Done: try the quiz →", "All steps"}


def test_a_wrong_prediction_is_told_apart_and_the_row_has_the_words_of_the_step() -> None:
    step = STEPS[6]
    app = opened(step.page, **step_view(7).query())
    app = next(r for r in app.main.radio if r.label == f"**{step.question}**").set_value(0).run()
    app = next(b for b in app.button if b.label == "Let the run answer").click().run()
    (said,) = [box.value for box in app.error]
    assert f"**Not quite.** It is: {step.options[1]}. {step.answer}" in said
    (row,) = [body for body in html(app) if 'class="glossary"' in body]
    assert re.findall("<summary>(.*?)</summary>", row) == ["gradient", "detach", "twin", "stop-gradient"]
    assert not app.get("button_group")  # another pattern is another step


def test_the_next_step_keeps_what_is_hidden_and_the_answers_of_the_quiz() -> None:
    app = opened(STEPS[4].page, **step_view(5).query(), answers="1234", controls="hidden", hide="code")
    app = next(b for b in app.button if b.label == "Step 6 →").click().run()
    view: View = app.session_state["kept view"]
    assert (view.tour, view.answers, view.controls, view.hidden) == (6, "1234", False, ("code",))
    assert view.settings == STEPS[5].settings


def test_a_run_that_is_not_the_steps_own_is_said_to_be_another_and_can_be_left() -> None:
    app = opened(STEPS[6].page, **step_view(7).query())
    assert "another run than the step's own" not in text(app)
    app.selectbox(key="detach").set_value("nowhere").run()
    assert "another run than the step's own" in text(app)
    app = next(b for b in app.button if b.label == "The step's own run").click().run()
    assert "another run than the step's own" not in text(app)
    view: View = app.session_state["kept view"]
    assert view == step_view(7)


@each_step
def test_the_runs_that_a_step_leads_to_are_no_others(number: int) -> None:
    for settings in STEPS[number - 1].also:
        app = opened(STEPS[number - 1].page, **replace(step_view(number), settings=settings).query())
        assert "another run than the step's own" not in text(app)
        assert any(button.label == "The step's own run" for button in app.button)


def test_the_plan_has_every_step_and_no_bar() -> None:
    app = opened(PLAN, tour=3)
    assert not app.exception
    said = text(app)
    assert [header.value for header in app.header] == [
        f"{n}. {s.title}" for n, s in enumerate(STEPS, start=1)
    ]
    assert "Tour, step" not in said
    for step in STEPS:
        assert step.question in said
        assert step.answer not in said
    assert f"About {sum(step.minutes for step in STEPS)} minutes." in said


def test_a_step_that_there_is_not_is_the_nearest() -> None:
    assert View.from_query({"tour": "9"})[0].tour == 8
    assert "Tour, step" not in text(opened("pages/data_flow.py", tour=0))
