"""Predict first: what would tell is hidden until the reader has predicted; then the run answers."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.test_pages import opened, text

PAGES = {
    "pages/data_flow.py": ("Which layers get no gradient in this step?", "`hidden_1` and `hidden_2`"),
    "pages/training_trace.py": (
        "How do the two runs compare",
        "Both can be trained, and the loss ends lower without it",
    ),
    "pages/detach_in_practice.py": ("Which verdict", "**learns something else**"),
}
each_page = pytest.mark.parametrize("path", PAGES)


def predicting(path: str, **query: object) -> AppTest:
    return opened(path, **{"experiment": "classifier", "epochs": 30, "predict": "first", **query})


def answer(app: AppTest, *, right: str) -> AppTest:
    """Chooses the option that starts so."""
    (radio,) = [radio for radio in app.main.radio if is_question(radio.label)]
    radio.set_value(next(i for i, option in enumerate(radio.options) if option.startswith(right))).run()
    next(b for b in app.button if b.label == "Let the run answer").click().run()
    return app


def is_question(label: str) -> bool:
    return any(question in label for question, _ in PAGES.values())


def pictures(app: AppTest) -> int:
    return len(app.get("bidi_component")) + len(app.get("vega_lite_chart"))


@each_page
def test_nothing_that_would_tell_is_shown_before_the_prediction(path: str) -> None:
    app = predicting(path)
    assert not app.exception
    assert not pictures(app)
    said = text(app)
    for telling in ("Verdict", "never moved", "lost their gradient", "The loss starts", "The code that ran"):
        assert telling not in said
    assert "The lines that matter" in said
    assert next(b for b in app.button if b.label == "Let the run answer").disabled


@each_page
def test_the_right_prediction_is_praised_and_everything_is_shown(path: str) -> None:
    app = answer(predicting(path), right=PAGES[path][1])
    assert not app.exception
    (said,) = [success.value for success in app.success]
    assert "**Right.**" in said
    assert pictures(app)
    assert "The code that ran" in text(app)


@each_page
def test_a_wrong_prediction_is_told_what_is_right(path: str) -> None:
    wrong = {
        "pages/data_flow.py": "None of them",
        "pages/training_trace.py": "Without",
        "pages/detach_in_practice.py": "**error**",
    }
    app = answer(predicting(path), right=wrong[path])
    (said,) = [error.value for error in app.error if "**Not quite.**" in error.value]
    assert f"**Not quite.** It is: {PAGES[path][1]}" in said
    assert pictures(app)


def test_another_run_asks_anew_and_what_was_predicted_is_remembered() -> None:
    app = answer(
        predicting("pages/training_trace.py"), right="Both can be trained, and the loss ends lower without"
    )
    app.slider(key="epochs").set_value(31).run()
    assert not pictures(app)
    app.slider(key="epochs").set_value(30).run()
    assert pictures(app)
    assert "predictions" not in app.query_params


def test_the_switch_asks_and_stands_in_the_link() -> None:
    app = opened("pages/data_flow.py")
    assert pictures(app)
    app.toggle(key="predict").set_value(True).run()
    assert not pictures(app)
    assert app.query_params["predict"] in ("first", ["first"])
    app.toggle(key="predict").set_value(False).run()
    assert pictures(app)


def test_with_the_controls_hidden_the_link_alone_decides() -> None:
    app = predicting("pages/data_flow.py", controls="hidden")
    assert not list(app.toggle)
    assert not pictures(app)


def test_where_there_is_no_detach_there_is_nothing_to_predict() -> None:
    app = predicting("pages/data_flow.py", detach="nowhere")
    assert not [b for b in app.button if b.label == "Let the run answer"]
    assert pictures(app)


def test_a_question_that_has_another_answer_in_another_epoch_is_asked_anew() -> None:
    app = predicting("pages/data_flow.py", experiment="optimizer_trap", epochs=40, epoch=31)
    app = answer(app, right="Only `hidden`")
    assert app.success
    app.slider(key="epoch").set_value(5).run()
    assert not app.success
    assert not app.error
    app = answer(app, right="None of them")
    (said,) = [success.value for success in app.success]
    assert "or has a path to a loss around it." in said
    app.slider(key="epoch").set_value(6).run()
    assert app.success  # the same answer
