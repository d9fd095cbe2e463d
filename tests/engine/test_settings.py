"""Settings: every bound holds, every error says what came and what is allowed."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Settings, SettingsError
from engine.experiments import experiment_names
from engine.settings import EPOCHS, LEARNING_RATE, OPTIMIZERS, SEED, places


def test_the_defaults_are_the_lessons_own() -> None:
    s = Settings()
    assert (s.experiment, s.detach, s.epochs, s.learning_rate, s.optimizer, s.start) == (
        "lesson",
        "linear",
        5,
        0.007,
        "adam",
        "lesson",
    )


@pytest.mark.parametrize("experiment", experiment_names())
def test_an_experiment_alone_is_a_whole_run(experiment: str) -> None:
    s = Settings(experiment=experiment)
    assert None not in dataclasses.astuple(s)
    assert s.described().defaults.epochs == s.epochs


def test_settings_are_frozen_and_equal_ones_are_the_same_key() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().epochs = 7  # type: ignore[misc]
    assert {Settings(): 1}[Settings(epochs=5)] == 1


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("experiment", "nothing"),
        ("experiment", 3),
        ("detach", "hidden_1"),
        ("epochs", 0),
        ("epochs", 501),
        ("epochs", 5.0),
        ("epochs", True),
        ("epochs", "5"),
        ("learning_rate", 0.0),
        ("learning_rate", 1.1),
        ("learning_rate", math.nan),
        ("learning_rate", math.inf),
        ("learning_rate", "0.1"),
        ("optimizer", "lbfgs"),
        ("start", "zeros"),
        ("seed", -1),
        ("learning_rate", 10**400),
        ("learning_rate", "0.1" * 3_000),
        ("seed", "x" * 10_000),
    ],
)
def test_a_bad_value_names_the_field_what_came_and_what_is_allowed(field: str, bad: object) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings(**{field: bad})  # type: ignore[arg-type]
    error = caught.value
    assert error.field == field
    assert error.got is bad
    assert field in str(error)
    assert error.allowed in str(error)
    assert len(str(error)) < 300  # all experiments by name


@given(
    epochs=st.integers(*EPOCHS),
    rate=st.floats(*LEARNING_RATE),
    optimizer=st.sampled_from(OPTIMIZERS),
    seed=st.integers(*SEED),
    where=st.sampled_from(places("classifier")),
)
def test_every_allowed_value_is_taken_as_it_is(
    epochs: int, rate: float, optimizer: str, seed: int, where: str
) -> None:
    s = Settings("classifier", where, epochs, rate, optimizer, "random", seed)
    assert dataclasses.astuple(s) == ("classifier", where, epochs, rate, optimizer, "random", seed, ())
    assert s.changed(epochs=1).learning_rate == rate
