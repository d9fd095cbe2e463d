"""Links: what a view writes it reads again, and what a stranger writes does no harm."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import Settings
from engine.experiments import experiment_names
from engine.quiz import questions, rounds
from engine.settings import EPOCHS, OPTIMIZERS, SEED, places
from pages.components.shell.view import LEARNING_RATES, PARTS, View


@st.composite
def views(draw: st.DrawFn) -> View:
    experiment = draw(st.sampled_from(experiment_names()))
    chosen = Settings(
        experiment,
        draw(st.sampled_from(places(experiment))),
        draw(st.integers(*EPOCHS)),
        draw(st.sampled_from(LEARNING_RATES)),
        draw(st.sampled_from(OPTIMIZERS)),
        draw(st.sampled_from(Settings(experiment=experiment).described().starts)),
        draw(st.integers(*SEED)),
    )
    return View(
        chosen,
        draw(st.integers(1, chosen.epochs)),
        draw(st.integers(1, 1_000)),
        draw(st.booleans()),
        draw(st.integers(1, len(rounds()))),
        draw(st.text("-1234abcd", max_size=len(questions()))),
        sweep=draw(st.booleans()),
        predict=draw(st.booleans()),
        tour=draw(st.integers(0, 8)),
        hidden=tuple(part for part in PARTS if draw(st.booleans())),
    )


@given(views())
def test_a_link_opens_the_view_that_wrote_it(view: View) -> None:
    assert View.from_query(view.query()) == (view, ())


KEYS = st.sampled_from(
    [
        *View.of(Settings()).query(),
        "sample",
        "controls",
        "round",
        "answers",
        "sweep",
        "predict",
        "tour",
        "hide",
        "else",
    ]
)
ODD = st.sampled_from(
    [
        "nan",
        "inf",
        "-inf",
        "1e400",
        "-1",
        "0",
        "",
        "5.5",
        "1e3",
        "١",
        "9" * 400,
        "x" * 10_000,
        "<b>",
        "![](http://x)",
    ]
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(KEYS, ODD | st.text() | st.floats().map(str)))
def test_any_query_opens_a_valid_view_and_says_only_harmless_words(query: dict[str, str]) -> None:
    view, ignored = View.from_query(query)
    assert View.from_query(view.query()) == (view, ())
    for said in ignored:
        assert len(said) < 200
        assert not re.search(r"[<>\[\]!`*\\$]", said)


@pytest.mark.parametrize(
    ("hide", "hidden", "ignored"),
    [
        ("code,verdict", ("verdict", "code"), 0),
        ("story", ("story",), 0),
        ("story,all", ("story",), 1),
        ("x", (), 1),
    ],
)
def test_a_link_hides_the_parts_that_there_are(hide: str, hidden: tuple[str, ...], ignored: int) -> None:
    view, said = View.from_query({"hide": hide})
    assert (view.hidden, len(said)) == (hidden, ignored)


@pytest.mark.parametrize(
    ("query", "field", "shown"),
    [
        ({"epochs": "9999"}, "epochs", 500),
        ({"epochs": "-3"}, "epochs", 1),
        ({"epochs": "7.4"}, "epochs", 7),
        ({"epochs": "nan"}, "epochs", 5),
        ({"epochs": "1e400"}, "epochs", 5),
        ({"epochs": "many"}, "epochs", 5),
        ({"lr": "0.0072"}, "learning_rate", 0.007),
        ({"lr": "7"}, "learning_rate", 1.0),
        ({"lr": "0"}, "learning_rate", 1e-4),
        ({"lr": "-inf"}, "learning_rate", 0.007),
        ({"optimizer": "lbfgs"}, "optimizer", "adam"),
        ({"experiment": "none"}, "experiment", "lesson"),
        ({"detach": "hidden_1"}, "detach", "linear"),
    ],
)
def test_the_nearest_valid_value_is_shown_and_named(query: dict[str, str], field: str, shown: object) -> None:
    view, ignored = View.from_query(query)
    assert getattr(view.settings, field) == shown
    assert len(ignored) == 1
    assert next(iter(query)) in ignored[0]


def test_the_epoch_follows_the_run() -> None:
    view, _ = View.from_query({"epoch": "5"})
    assert view.with_settings(Settings(epochs=3)).epoch == 3
    assert view.with_settings(Settings(experiment="classifier")).epoch == 1
    assert View.from_query({"epoch": "6"})[0].epoch == 5


@pytest.mark.parametrize(
    ("answers", "kept"),
    [
        ("5", "-"),
        ("12e", "12-"),
        ("1 2", "1-2"),
        ("1" * (len(questions()) + 1), "1" * len(questions())),
        ("a" * 10_000, "a" * len(questions())),
    ],
)
def test_answers_that_cannot_be_are_named_in_one_sentence_and_cost_no_other(answers: str, kept: str) -> None:
    view, ignored = View.from_query({"answers": answers})
    assert view.answers == kept
    assert len(ignored) == 1
    assert "for each question a dash, a number from 1 to 4 or a letter from a to d" in ignored[0]
