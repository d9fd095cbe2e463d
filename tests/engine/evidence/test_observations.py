"""Observations: each sentence follows from the losses, none from an epoch's number."""

from dataclasses import replace

import pytest

from engine import Settings, Trace, train
from engine.evidence.observations import observe, summarize
from engine.experiments import experiment_names


def with_losses(*losses: float) -> Trace:
    trace = train(Settings(epochs=len(losses)))
    return replace(trace, attached=replace(trace.attached, losses=losses))


def test_the_lesson_in_its_own_manner() -> None:
    said = observe(train(Settings()).attached)
    assert said[0].startswith("The loss starts at 0.8523")
    assert "learning" in said[1]
    assert "steadily" in said[2]
    assert "smaller" in said[4]


def test_each_kind_of_change_has_its_sentence() -> None:
    inf, nan = float("inf"), float("nan")
    losses = (1.0, 0.5, 0.49, 0.49, 0.489999, 0.6, 0.2, 0.3, inf, nan)
    words = (
        "starts",
        "0.5000, the fastest",
        "smaller",
        "No change in six digits",
        "plateau",
        "this step made it worse",
        "steadily",
        "on the way to divergence",
        "diverged",
        "diverged",
    )
    for sentence, word in zip(observe(with_losses(*losses).attached), words, strict=True):
        assert word in sentence


def test_converging_is_said_only_where_the_rest_of_the_run_agrees() -> None:
    assert "converging" in observe(with_losses(1.0, 0.5, 0.48, 0.47).attached)[2]
    assert "converging" not in observe(with_losses(1.0, 0.5, 0.48, 0.9).attached)[2]


def test_nothing_is_said_to_be_learned_above_the_first_loss() -> None:
    said = observe(with_losses(0.8, 387.0, 25.0, 0.8, 20.0, 0.5, 0.3, 0.29).attached)
    for sentence in said[2:4]:
        assert "not below the first loss" in sentence
        assert "learning" not in sentence
        assert "fastest" not in sentence
    assert said[2].startswith("Falls by 362,")
    assert "back below the first loss" in said[5]
    assert said[6] == "Falls by 0.2000: the model is learning."
    assert "converging" in said[7]


def test_a_loss_below_zero_learns_as_well() -> None:
    said = observe(with_losses(-0.1, -0.6, -0.3, 0.2, 0.1, -0.7).attached)
    assert "learning" in said[1]
    assert "not below the first loss" in said[4]
    assert "back below the first loss" in said[5]


def test_a_run_that_swings_or_ends_in_the_first_epoch_is_told_so() -> None:
    assert any("swinging up to 9 on" in said for said in summarize(with_losses(1.0, 9.0, 0.5)))
    assert "one epoch only" in summarize(with_losses(1.0))[0]


def test_the_same_losses_later_get_the_same_sentences() -> None:
    losses = (1.0, 0.5, 0.3, 0.2)
    early = observe(with_losses(*losses).attached)
    late = observe(with_losses(1.0, 1.0, 1.0, *losses[1:]).attached)
    assert late[3:] == early[1:]


@pytest.mark.parametrize("experiment", experiment_names())
def test_one_sentence_an_epoch(experiment: str) -> None:
    trace = train(Settings(experiment=experiment, epochs=9))
    for run in trace.runs:
        assert len(observe(run)) == 9


def test_the_summary_names_the_parting_the_refusal_and_what_never_moved() -> None:
    assert any("part in epoch 2" in s for s in summarize(train(Settings())))
    assert any("refused in every epoch" in s for s in summarize(train(Settings())))
    assert any(
        "hidden_1 and hidden_2 never moved" in s
        for s in summarize(train(Settings(experiment="classifier", epochs=4)))
    )
    assert any("never part" in s for s in summarize(train(Settings(detach="nowhere"))))
