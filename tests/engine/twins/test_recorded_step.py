"""A recorded step of an experiment: what torch did, bit for bit, and the arithmetic written out from it."""

import re
from typing import Any

import numpy as np
import pytest
import torch

from engine import Settings, SettingsError, record, train
from engine.experiments import experiment_names
from engine.serving.results import RecordKey, record_of, trace_of, traces
from engine.settings import places
from engine.twins.arithmetic import equations, share_of_loss
from engine.twins.experiment_script import script_of
from engine.twins.recorded_step import model_at

EVERY = [(experiment, place) for experiment in experiment_names() for place in places(experiment)]


@pytest.mark.parametrize("detached", [False, True])
@pytest.mark.parametrize(
    ("experiment", "place"), [(e, p) for e, p in EVERY if not script_of(Settings(e)).own_optimizers]
)
def test_a_recorded_step_is_bit_equal_to_the_same_step_unrecorded(
    experiment: str, place: str, detached: bool
) -> None:
    s = Settings(experiment=experiment, detach=place, epochs=3)
    trace = train(s)
    step = record(s, epoch=2, detached=detached, trace=trace)
    model, data = model_at(s, trace.attached, 2), script_of(s).make_data(s.seed)
    loss, _ = script_of(s).step(detached)(model, data)
    assert step.loss == loss.item() == trace.attached.losses[1]
    if loss.requires_grad:
        loss.backward()
    else:
        with pytest.raises(RuntimeError) as refused:
            loss.backward()
        assert step.raised is not None
        assert step.raised.message == str(refused.value)
    found = {p.name: p for p in step.parameters}
    for name, parameter in model.named_parameters():
        assert (found[name].state == "none") == (parameter.grad is None)
        gradient = found[name].gradient
        if parameter.grad is not None:
            assert gradient is not None
            assert gradient.tobytes() == parameter.grad.numpy().tobytes()
        else:
            assert gradient is None
            assert found[name].reason


def test_the_stages_of_the_lesson_in_order() -> None:
    step = record(Settings(), epoch=4)
    calls = [s for s in step.stages if s.operation != "input"]
    assert [s.operation for s in calls] == ["linear", "detach", "mse_loss"]
    linear, detach, loss = calls
    assert (linear.output.requires_grad, linear.output.grad_fn, linear.output.is_leaf) == (
        True,
        "AddmmBackward0",
        False,
    )
    assert (detach.output.requires_grad, detach.output.grad_fn, detach.output.is_leaf) == (False, None, True)
    assert detach.shares_storage_with == linear.index
    assert linear.output.values is not None
    assert detach.output.values is not None
    assert linear.output.values.tobytes() == detach.output.values.tobytes()
    assert (linear.gradient_state, detach.gradient_state, loss.gradient_state) == ("none", "none", "none")
    assert [c.kind for c in step.cuts] == ["detach"]
    assert step.cuts[0].location is not None
    assert step.cuts[0].location.line == script_of(Settings()).marked_line
    assert {s.output.name for s in step.stages if s.operation == "input"} == {"inputs", "targets"}


def test_the_gradient_that_came_back_to_a_stage_is_the_closed_form() -> None:
    step = record(Settings(), epoch=4, detached=False)
    linear = next(s for s in step.stages if s.operation == "linear")
    targets = next(s for s in step.stages if s.output.name == "targets")
    assert linear.output.values is not None
    assert linear.gradient is not None
    assert targets.output.values is not None
    expected = 2 / 8 * (linear.output.values.astype(float) - targets.output.values.astype(float))
    assert np.allclose(linear.gradient.astype(float), expected, rtol=1e-5)


def test_nothing_can_change_what_a_record_holds() -> None:
    step = record(Settings())
    values = step.stages[0].output.values
    assert values is not None
    with pytest.raises(ValueError, match="read-only"):
        values[0, 0] = 9


@pytest.mark.parametrize("epoch", [0, 6, -1, 2.5, "4"])
def test_an_epoch_that_the_run_does_not_have_is_refused_in_one_sentence(epoch: object) -> None:
    with pytest.raises(SettingsError, match=r"epoch: got .*, expected a whole number from 1 to 5\."):
        record(Settings(), epoch=epoch)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"weights": "foo"}, "weights: got 'foo', expected one of attached, detached"),
        ({"detached": "no"}, "detached: got 'no', expected True or False"),
        ({"trace": train(Settings(epochs=2))}, "expected the trace of the same settings"),
        ({"keep": 5}, "keep goes with a step of your own only"),
    ],
)
def test_a_wrong_argument_is_named_in_one_sentence(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises((SettingsError, TypeError), match=words):
        record(Settings(), **arguments)


@pytest.mark.parametrize(
    ("step", "arguments"), [(None, {}), (5, {}), (lambda: torch.zeros(()), {"epoch": 2})]
)
def test_a_step_of_ones_own_that_cannot_be_is_named_too(step: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="record"):
        record(step, **arguments)


def test_recording_leaves_the_global_state_alone() -> None:
    state = torch.get_rng_state()
    record(Settings(experiment="classifier"))
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.is_grad_enabled()


def evaluated(working: str) -> float:
    """A working such as "1 × (-0.02) + 2 × 0.14" computed by Python."""
    plain = working.replace(" × ", " * ").replace("²", "**2")
    plain = re.sub(r"e\^(\(?-?[\d.]+\)?)", r"exp(\1)", plain).partition(", the right class")[0]
    return float(eval(plain, {"tanh": np.tanh, "exp": np.exp, "log": np.log}))


@pytest.mark.parametrize("experiment", experiment_names())
@pytest.mark.parametrize("sample", [0, 3])
def test_the_written_out_arithmetic_gives_the_numbers_that_torch_gave(experiment: str, sample: int) -> None:
    step = record(Settings(experiment=experiment), epoch=4)
    for stage in step.stages:
        for equation in equations(step, stage, sample) if stage.operation != "input" else ():
            if (
                equation.working
                and "more terms" not in equation.working
                and "torch's" not in equation.working
            ):
                assert evaluated(equation.working) == pytest.approx(equation.result, abs=2e-3), str(equation)
    share = share_of_loss(step, sample)
    assert share is not None or experiment not in ("lesson", "classifier")
    if share is not None:
        assert evaluated(share.working) == pytest.approx(share.result, abs=1e-4)


@pytest.mark.parametrize("experiment", ["lesson", "classifier"])
def test_the_shares_of_all_samples_make_the_loss(experiment: str) -> None:
    step = record(Settings(experiment=experiment), epoch=2)
    samples = len(script_of(Settings(experiment=experiment)).make_data().inputs)
    shares = [share_of_loss(step, sample) for sample in range(samples)]
    assert sum(share.result for share in shares if share) == pytest.approx(step.loss, rel=1e-5)


def test_results_are_shared_and_computed_once() -> None:
    before = traces.info().misses
    s = Settings(epochs=11, learning_rate=0.0123)
    assert trace_of(s) is trace_of(s)
    assert traces.info().misses == before + 1
    key = RecordKey(s, 3, True, "attached")
    assert record_of(key) is record_of(key)
