"""The drawn pipeline: what it shows of a recorded step, and that it can keep back what a reader is to predict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import Settings
from engine.experiments import experiment_names
from engine.recorder import StepRecord
from engine.serving.results import RecordKey, record_of
from pages.components.draw.pipeline import main_stages, parts_of, pipeline_html


def recorded(experiment: str) -> StepRecord:
    return record_of(RecordKey(Settings(experiment, epochs=1), 1, True, "detached"))


def drawn(step: StepRecord, *, gradients: bool) -> str:
    numbers = {stage.index: number for number, stage in enumerate(main_stages(step), start=1)}
    return "".join(
        pipeline_html(part, step, numbers, values=True, gradients=gradients) for part in parts_of(step)
    )


def without_gradients(step: StepRecord) -> StepRecord:
    """The same step as if no gradient had come back anywhere, and nothing had cut it."""
    stages = tuple(stage._replace(gradient=None, gradient_state="none") for stage in step.stages)
    parameters = tuple(p._replace(state="none", gradient=None) for p in step.parameters)
    return replace(step, stages=stages, parameters=parameters, cuts=())


@pytest.mark.parametrize("experiment", experiment_names())
def test_without_gradients_the_picture_is_the_same_whatever_came_back(experiment: str) -> None:
    step = recorded(experiment)
    other = without_gradients(step)
    assert drawn(step, gradients=False) == drawn(other, gradients=False)
    assert drawn(step, gradients=True) != drawn(other, gradients=True)


@pytest.mark.parametrize("gradients", [False, True])
def test_a_stage_of_few_numbers_says_each_and_a_larger_one_how_far_they_reach(gradients: bool) -> None:
    shown = drawn(recorded("lesson"), gradients=gradients)
    assert "values from 1 to 12" in shown
    assert "value 0.8523" in shown
    assert "4 rows x 2 columns" in shown


def test_a_gradient_from_another_call_of_the_module_is_said_to_be_so() -> None:
    said = "no gradient through here; its parameters got theirs from another call"
    shown = drawn(recorded("gan"), gradients=True)
    assert shown.count(said) == 2  # its hidden layer and its output
    assert said not in drawn(
        record_of(RecordKey(Settings("gan", epochs=1), 1, False, "detached")), gradients=True
    )
