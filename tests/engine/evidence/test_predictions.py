"""What a reader predicts: for every experiment and place the options differ, and the run says that one is right."""

from dataclasses import replace
from functools import cache

import pytest

from engine import Settings, StepRecord, Trace, record, train
from engine.evidence.predictions import Prediction, about_losses, about_starving
from engine.experiments import experiment_names
from engine.settings import NOWHERE, places

EVERY = [(name, place) for name in experiment_names() for place in places(name)]
each = pytest.mark.parametrize(("name", "place"), EVERY)


@cache
def trained(name: str, place: str) -> Trace:
    return train(Settings(name, detach=place))


@cache
def steps(name: str, place: str) -> tuple[StepRecord, StepRecord]:
    trace = trained(name, place)
    epoch = min(trace.settings.described().shown_epoch, trace.settings.epochs)
    without, with_ = (record(trace.settings, epoch=epoch, detached=d, trace=trace) for d in (False, True))
    return without, with_


def starving(name: str, place: str) -> Prediction | None:
    return about_starving(trained(name, place).settings, *steps(name, place))


@each
def test_there_is_something_to_predict_wherever_a_detach_stands(name: str, place: str) -> None:
    for asked in (starving(name, place), about_losses(trained(name, place))):
        assert (asked is None) == (place == NOWHERE)
        if asked is not None:
            assert 2 <= len(asked.options) == len(set(asked.options)) <= 5
            assert 0 <= asked.right < len(asked.options)
            assert asked.question.endswith("?")
            assert asked.why


@each
def test_the_layers_said_to_get_no_gradient_are_those_of_the_trained_run(name: str, place: str) -> None:
    asked, run = starving(name, place), trained(name, place).detached
    if asked is None or len(run.layers) == 1:
        return
    epoch = min(run_epoch(name), len(run.losses))
    none = [p.name for p in steps(name, place)[1].parameters if p.name not in reached(steps(name, place)[1])]
    still = [
        layer for layer in run.layers if {p.name for p in run.parameters if p.layer == layer} <= set(none)
    ]
    norms = dict(zip(run.layers, (norms[epoch - 1] for norms in run.gradient_norms), strict=True))
    assert all(not norms[layer] for layer in still)
    said = asked.options[asked.right]
    if not still:
        assert said.startswith("None of them")
    elif len(still) == len(run.layers):
        assert said.startswith("All of them")
    else:
        assert [layer for layer in run.layers if f"`{layer}`" in said] == still


def run_epoch(name: str) -> int:
    return Settings(name).described().shown_epoch


def reached(step: StepRecord) -> set[str]:
    return {name for backward in step.backwards for name in backward.reached}


@pytest.mark.parametrize(
    ("name", "place", "right", "why"),
    [
        ("lesson", "linear", "All of them: no parameter gets one", "`backward()` raises"),
        ("classifier", "hidden_1", "Only `hidden_1`", "no path brings a gradient from a loss to `hidden_1`"),
        ("classifier", "hidden_2", "`hidden_1` and `hidden_2`", "without it one does"),
        ("gan", "fake", "None of them: every layer gets a gradient", "a path to a loss around it"),
    ],
)
def test_which_layers_starve(name: str, place: str, right: str, why: str) -> None:
    asked = starving(name, place)
    assert asked is not None
    assert asked.options[asked.right] == right
    assert why in asked.why


@pytest.mark.parametrize(
    ("name", "right", "why"),
    [
        ("lesson", "With the detach `backward()` raises", "from 0.8523 to 0.1516"),
        ("truncated_bptt", "Without the detach `backward()` raises", "a second time"),
        (
            "straight_through",
            "Both can be trained, and the loss ends lower with the detach",
            "With it, the loss",
        ),
        ("classifier", "Both can be trained, and the loss ends lower without it", "from 1.119"),
        ("gan", "Both can be trained, and the loss ends at the same value", "to 1.369"),
    ],
)
def test_how_the_loss_goes(name: str, right: str, why: str) -> None:
    asked = about_losses(trained(name, Settings(name).detach))
    assert asked is not None
    assert asked.options[asked.right].startswith(right)
    assert why in asked.why


def test_of_a_part_of_the_model_all_layers_stand_in_one_option() -> None:
    asked = starving("simsiam", "target")
    assert asked is not None
    assert "`encoder.linear_1`, `encoder.norm` and `encoder.linear_2`" in asked.options


def test_a_run_that_diverges_leaves_nothing_to_predict() -> None:
    trace = trained("classifier", "hidden_1")
    run = replace(trace.attached, losses=(*trace.attached.losses[:-1], float("nan")))
    assert about_losses(replace(trace, attached=run)) is None


@pytest.mark.parametrize("inputs", ["as they are", "require grad"])
@pytest.mark.parametrize("checkpointing", ["reentrant", "non-reentrant", "none"])
@pytest.mark.parametrize("place", places("checkpointed_adapter"))
def test_a_pass_within_the_pass_counts(place: str, checkpointing: str, inputs: str) -> None:
    """A reentrant checkpoint backpropagates by itself, unseen; what it brings stands in `.grad`, as training finds it."""
    settings = Settings("checkpointed_adapter", detach=place, epochs=1)
    settings = settings.choosing("checkpointing", checkpointing).choosing("inputs", inputs)
    trace = train(settings)
    for run in trace.runs:
        step = record(settings, epoch=1, detached=run.detached, trace=trace)
        reached = {name for backward in step.backwards for name in backward.reached}
        fed = {
            layer for layer, norms in zip(run.layers, run.gradient_norms, strict=True) if norms[0] is not None
        }
        assert {name.rpartition(".")[0] for name in reached} == fed
