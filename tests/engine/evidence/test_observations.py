"""Observations: each sentence follows from the losses, none from an epoch's number."""

from dataclasses import replace
from itertools import pairwise

import pytest

from engine import Settings, Trace, train
from engine.evidence.observations import observe, summarize
from engine.experiments import experiment_names


def with_losses(*losses: float) -> Trace:
    """The lesson's twins with these losses instead of one's own, and an R2 that follows them."""
    trace = train(Settings(epochs=len(losses)))
    r2 = tuple(1 - loss for loss in losses)
    return replace(trace, attached=replace(trace.attached, losses=losses, r2=r2))


def said_of(trace: Trace) -> tuple[str, ...]:
    """What is said of the twin without the detach."""
    return observe(trace.attached, trace.settings)


def before_the_loss_alone(*losses: float) -> tuple[str, ...]:
    """What is said of these losses where there is neither R2 nor accuracy."""
    trace = with_losses(*losses)
    return observe(replace(trace.attached, r2=None), trace.settings)


def test_the_lesson_in_its_own_words() -> None:
    said = said_of(train(Settings()))
    assert said[0].startswith("The loss starts at 0.852")
    assert said[0].endswith(": the weights are not trained yet.")
    assert said[1:] == (
        "Falls by 0.2537, the fastest fall of the run: the model is learning.",
        "Falls steadily, by 0.2008.",
        "Lower by 0.1482: predictions improve.",
        "Falls further, by 0.09794: converging.",
    )


def test_the_weights_are_called_random_where_they_were_drawn_and_moved() -> None:
    drawn = said_of(train(Settings(start="random", epochs=2)))
    assert drawn[0].endswith(": the weights are random.")
    one_player = train(Settings("gan", epochs=2).choosing("updates", "discriminator"))
    assert said_of(one_player)[0].endswith(
        ": the weights of discriminator.hidden and discriminator.output are random."
    )


def test_predictions_are_said_to_improve_only_where_accuracy_or_r2_rises() -> None:
    losses = (1.0, 0.5, 0.3, 0.15, 0.4, 0.1)
    trace = with_losses(*losses)
    assert said_of(trace)[2] == "Lower by 0.2000: predictions improve."
    level = replace(trace.attached, r2=(0.0,) * 6)
    assert observe(level, trace.settings)[2] == "Falls by 0.2000, less than in the epoch before."


@pytest.mark.parametrize("seed", range(5))
def test_of_an_adversarial_loss_only_the_way_it_goes_is_said(seed: int) -> None:
    trace = train(Settings("gan", epochs=60, seed=seed))
    run = trace.detached
    assert run.measures is not None
    said = observe(run, trace.settings)
    better_though_it_rises = [
        sentence
        for sentence, (before, after) in zip(said[1:], pairwise(run.measures), strict=True)
        if sentence.startswith("Rises") and after < before - 1e-3
    ]
    assert better_though_it_rises
    for sentence in said:
        assert not any(word in sentence for word in ("worse", "learn", "improve", "converg"))


def test_each_kind_of_change_has_its_sentence() -> None:
    inf, nan = float("inf"), float("nan")
    losses = (1.0, 0.5, 0.49, 0.49, 0.489999, 0.6, 0.2, 0.3, inf, nan)
    words = (
        "starts",
        "0.5000, the fastest",
        "Lower by 0.01000: predictions improve.",
        "No change in six digits",
        "plateau",
        "Rises by 0.1100",
        "steadily",
        "on the way to divergence",
        "diverged",
        "diverged",
    )
    for sentence, word in zip(said_of(with_losses(*losses)), words, strict=True):
        assert word in sentence
    assert before_the_loss_alone(*losses)[1] == "Falls by 0.5000, the fastest fall of the run."
    assert before_the_loss_alone(*losses)[2] == "Falls by 0.01000, less than in the epoch before."


def test_converging_is_said_only_where_the_rest_of_the_run_agrees() -> None:
    assert "converging" in said_of(with_losses(1.0, 0.5, 0.48, 0.47))[2]
    assert "converging" not in said_of(with_losses(1.0, 0.5, 0.48, 0.9))[2]


def test_falls_that_shrink_from_epoch_to_epoch_converge_where_the_run_ends() -> None:
    shrinking = (1.0, 0.6, 0.3, 0.1, -0.05)
    assert "converging" in said_of(with_losses(*shrinking))[4]
    assert "converging" not in said_of(with_losses(*shrinking, -0.15))[4]
    assert "converging" not in said_of(with_losses(1.0, 0.6, 0.5, 0.3, 0.15))[4]


def test_nothing_is_said_to_be_learned_above_the_first_loss() -> None:
    said = said_of(with_losses(0.8, 387.0, 25.0, 0.8, 20.0, 0.5, 0.3, 0.29))
    for sentence in said[2:4]:
        assert "not below the first loss" in sentence
        assert "learning" not in sentence
        assert "fastest" not in sentence
    assert said[2].startswith("Falls by 362,")
    assert "back below the first loss" in said[5]
    assert said[6] == "Falls by 0.2000: the model is learning."
    assert "converging" in said[7]


def test_a_loss_below_zero_learns_as_well() -> None:
    said = said_of(with_losses(-0.1, -0.6, -0.3, 0.2, 0.1, -0.7))
    assert "learning" in said[1]
    assert "not below the first loss" in said[4]
    assert "back below the first loss" in said[5]


def test_a_run_that_swings_or_ends_in_the_first_epoch_is_told_so() -> None:
    assert any("swinging up to 9 on" in said for said in summarize(with_losses(1.0, 9.0, 0.5)))
    assert "one epoch only" in summarize(with_losses(1.0))[0]


def test_the_same_losses_later_get_the_same_sentences() -> None:
    losses = (1.0, 0.5, 0.3, 0.2)
    early = said_of(with_losses(*losses))
    late = said_of(with_losses(1.0, 1.0, 1.0, *losses[1:]))
    assert late[3:] == early[1:]


@pytest.mark.parametrize("experiment", experiment_names())
def test_one_sentence_an_epoch(experiment: str) -> None:
    trace = train(Settings(experiment=experiment, epochs=9))
    for run in trace.runs:
        assert len(observe(run, trace.settings)) == 9


def test_the_summary_names_the_parting_the_refusal_and_what_never_moved() -> None:
    assert any("from epoch 2 on they differ" in s for s in summarize(train(Settings())))
    assert any("raised an error in every epoch" in s for s in summarize(train(Settings())))
    assert any(
        "hidden_1 and hidden_2 never moved" in s
        for s in summarize(train(Settings(experiment="classifier", epochs=4)))
    )
    assert summarize(train(Settings(detach="nowhere"))) == (
        "The twins never differ: their losses are equal in every epoch, to the last bit.",
        "In both, the loss falls from 0.8523 to 0.1516.",
    )


def test_twins_are_not_said_to_be_alike_where_they_are_not() -> None:
    raises = Settings("truncated_bptt", epochs=1).choosing("retain_graph", "false")
    assert summarize(train(raises))[0] == "There is one epoch only, and not both twins have a loss in it."
    slow = Settings("checkpointed_adapter", epochs=2, optimizer="sgd", learning_rate=1e-4)
    trace = train(slow)
    if trace.attached.losses == trace.detached.losses:  # to the last bit, which is the processor's
        assert summarize(trace)[0].endswith("their weights are not.")
    same = replace(trace, detached=replace(trace.detached, losses=trace.attached.losses))
    assert (
        summarize(same)[0]
        == "The losses of the twins are equal in every epoch, to the last bit; their weights are not."
    )


def test_a_fall_that_four_digits_do_not_show_is_given_by_itself() -> None:
    run = train(Settings("classifier", epochs=2)).attached
    trace = train(Settings("classifier", epochs=2))
    near = replace(trace, attached=replace(run, losses=(1.1194, 1.1191)))
    assert "Without detach, the loss ends lower than it started, at 1.119, by only 0.0003." in summarize(near)


def test_why_a_layer_never_moved_is_told_apart() -> None:
    """No gradient, one of exact zeros, one too small for float32, and no step of an optimizer."""

    def of(settings: Settings) -> str:
        return " ".join(summarize(train(settings)))

    cut = of(Settings("classifier", epochs=4))
    assert "With detach, hidden_1 and hidden_2 never moved: no gradient came that far." in cut
    zero = of(Settings("straight_through", epochs=4))
    assert "Without detach, encoder never moved: every gradient there was exactly zero." in zero
    unstepped = of(Settings("gan", epochs=4).choosing("updates", "generator"))
    assert "discriminator.output never moved: no optimizer took a step there." in unstepped
    trace = train(Settings("straight_through", epochs=3))
    small = replace(trace.attached, gradient_norms=((1e-12, 0.0, 1e-12), *trace.attached.gradient_norms[1:]))
    assert (
        "encoder never moved: the gradients there were too small to move a weight, and in 1 of 3 epochs exactly zero."
        in " ".join(summarize(replace(trace, attached=small)))
    )
