"""Finite differences beside autograd: closed forms, the two steps against each other, and steps made for one fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import mse_loss

from engine import Settings, SettingsError, Trace, record, train
from engine.evidence import finite_differences
from engine.evidence.finite_differences import Comparison, Doubles, compare
from engine.experiments import experiment_names
from engine.serving.results import ComparisonKey, comparison_of
from engine.twins.experiment_script import script_of
from engine.twins.training import start_model

FEW = 4
CUTS = (".detach()", "no_grad", "inference_mode", ".data", "requires_grad_(False)", "round()")


@pytest.fixture(scope="module")
def lesson() -> Trace:
    return train(Settings())


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """Only the first elements of each parameter are differenced."""
    monkeypatch.setattr(finite_differences, "MOST", FEW)
    return FEW


def close(found: Doubles | None, wanted: Any, *, rtol: float = 0.0, atol: float = 0.0) -> None:
    assert found is not None
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol)


def closed_form(trace: Trace, epoch: int) -> dict[str, Doubles]:
    """The gradients of the lesson's mean squared error, by hand."""
    data = script_of(trace.settings).make_data()
    x, targets = (t.double().numpy() for t in data)
    weight, bias = (
        trace.attached.parameter(n, epoch).astype(np.float64) for n in ("linear.weight", "linear.bias")
    )
    wrong = x @ weight.T + bias - targets
    return {
        "linear.weight": 2 / wrong.size * wrong.T @ x,
        "linear.bias": 2 / wrong.size * wrong.sum(axis=0),
        "loss": np.array((wrong**2).mean()),
    }


@pytest.mark.parametrize("epoch", [1, 4])
@pytest.mark.parametrize("name", ["linear.weight", "linear.bias"])
def test_both_are_the_closed_form_of_the_lesson(lesson: Trace, name: str, epoch: int) -> None:
    by_hand = closed_form(lesson, epoch)
    found = compare(lesson.settings, name, epoch, detached=False, trace=lesson)
    assert found.autograd is not None
    assert found.differences is not None
    close(found.autograd, by_hand[name], rtol=1e-12)
    close(found.differences, by_hand[name], rtol=1e-8, atol=1e-9)
    assert found.losses == pytest.approx([float(by_hand["loss"])], rel=1e-14)
    assert found.parted == found.unsettled == found.share == 0
    assert found.largest_difference < 1e-9
    assert "agree" in found.sentence


@pytest.mark.parametrize("name", ["linear.weight", "linear.bias"])
def test_with_its_detach_autograd_refuses_and_the_differences_are_the_real_slopes(
    lesson: Trace, name: str
) -> None:
    found = compare(lesson.settings, name, 4, trace=lesson)
    assert found.detached
    assert found.autograd is None
    assert found.refused == "element 0 of tensors does not require grad and does not have a grad_fn"
    close(found.differences, closed_form(lesson, 4)[name], rtol=1e-8, atol=1e-9)
    assert found.share == 1
    assert found.refused in found.sentence
    assert f"`{name}`" in found.sentence


@pytest.mark.parametrize("place", ["hidden_1", "hidden_2", "output"])
def test_a_cut_parts_them_below_and_nowhere_above(place: str) -> None:
    settings = Settings("classifier", detach=place, epochs=3)
    trace = train(settings)
    for name in ("hidden_1.bias", "hidden_2.bias", "output.bias"):
        with_, without = (compare(settings, name, 2, cut, trace) for cut in (True, False))
        assert with_.differences is not None
        assert without.autograd is not None
        close(with_.differences, without.autograd, rtol=1e-6, atol=1e-9)
        if name.split(".")[0] <= place:
            assert with_.autograd is None
            assert with_.share == 1
        else:
            assert with_.autograd is not None
            assert with_.parted == 0
        assert (with_.refused is not None) == (place == "output")


@pytest.mark.parametrize("name", experiment_names())
@pytest.mark.usefixtures("few")
def test_the_differences_see_through_every_cut_and_part_just_where_autograd_loses_something(
    name: str,
) -> None:
    settings = Settings(name, epochs=2)
    trace = train(settings)
    text = script_of(settings).text
    other_cuts = any(
        cut in text.partition("def step_without_detach")[2].partition("\ndef ")[0] for cut in CUTS
    )
    for parameter in trace.attached.parameters:
        without, with_ = (compare(settings, parameter.name, 2, cut, trace) for cut in (False, True))
        assert without.differences is not None
        assert with_.differences is not None
        assert np.isfinite(without.differences).all()
        largest = max(1e-3, float(np.abs(without.differences).max()))
        trained = start_model(settings).get_parameter(parameter.name).requires_grad
        if trained and not other_cuts and without.refused is None:
            assert without.parted == 0
            assert without.largest_difference <= 1e-6 * largest
            lost = np.abs(_or_zero(with_) - _or_zero(without)) > 2 * with_.tolerance
            assert (with_.parted > 0) == lost.any()
        close(with_.differences, without.differences, atol=1e-6 * largest)


def _or_zero(found: Comparison) -> Doubles:
    assert found.differences is not None
    return np.zeros_like(found.differences) if found.autograd is None else found.autograd


def test_float64_autograd_is_the_recorded_gradient_but_for_rounding() -> None:
    settings = Settings("classifier", epochs=3)
    trace = train(settings)
    step = record(settings, epoch=3, detached=True, trace=trace)
    for parameter in step.parameters:
        found = compare(settings, parameter.name, 3, True, trace)
        assert (found.autograd is None) == (parameter.gradient is None)
        if parameter.gradient is not None:
            close(found.autograd, parameter.gradient, rtol=1e-3, atol=1e-6)


def test_the_straight_through_gradient_is_no_slope_of_its_loss() -> None:
    settings = Settings("straight_through", epochs=1)
    trace = train(settings)
    below = compare(settings, "encoder.bias", 1, True, trace)
    assert not np.any(below.differences)
    assert np.all(_or_zero(below) != 0)
    assert "does not change with `encoder.bias`" in below.sentence
    without = compare(settings, "encoder.bias", 1, False, trace)
    assert "is flat here" in without.sentence
    assert compare(settings, "decoder.weight", 1, True, trace).parted == 0


Own = Callable[..., Any]


def stepping(
    monkeypatch: pytest.MonkeyPatch, step: Own, optimizers: Callable[..., Any] | None = None
) -> Callable[[str], Comparison]:
    """Compares in a step of this test's own, on the lesson's model and data."""
    script = replace(
        script_of(Settings()), step_with_detach=step, step_without_detach=step, make_optimizers=optimizers
    )
    monkeypatch.setattr(finite_differences, "script_of", lambda _: script)
    trace = train(Settings())
    return lambda name: compare(Settings(), name, 4, trace=trace)


def one_optimizer(model: Any, make_optimizer: Any) -> Any:
    return make_optimizer(model.parameters())


def test_losses_that_a_step_sends_back_itself_are_added_up_at_the_same_weights(
    monkeypatch: pytest.MonkeyPatch, lesson: Trace
) -> None:
    def step(model: Any, data: Any, optimizer: Any) -> tuple[Tensor, Tensor]:
        for factor in (1.0, 3.0):
            optimizer.zero_grad()
            loss = factor * mse_loss(model.linear(data.inputs), data.targets)
            loss.backward()
            optimizer.step()
        return loss, loss

    found = stepping(monkeypatch, step, one_optimizer)("linear.weight")
    by_hand = closed_form(lesson, 4)
    assert found.losses == pytest.approx([float(by_hand["loss"]), float(3 * by_hand["loss"])])
    close(found.autograd, 4 * by_hand["linear.weight"], rtol=1e-12)
    assert found.parted == 0


def test_a_loss_that_is_cut_in_one_of_two_parts_by_what_that_one_brings(
    monkeypatch: pytest.MonkeyPatch, lesson: Trace
) -> None:
    def step(model: Any, data: Any, optimizer: Any) -> tuple[Tensor, Tensor]:
        loss = mse_loss(model.linear(data.inputs), data.targets)
        loss.backward()
        prediction = model.linear(data.inputs).detach() + 0 * model.linear.bias
        mse_loss(prediction, data.targets).backward()
        return loss, prediction

    found = stepping(monkeypatch, step, one_optimizer)("linear.weight")
    by_hand = closed_form(lesson, 4)["linear.weight"]
    close(found.autograd, by_hand, rtol=1e-12)
    close(found.differences, 2 * by_hand, rtol=1e-7)
    assert found.share == 1
    assert found.largest_difference == pytest.approx(np.abs(by_hand).max())
    assert "the sum of the step's 2 losses also changes" in found.sentence


def test_a_second_backward_is_told_and_the_slopes_are_there_all_the_same(
    monkeypatch: pytest.MonkeyPatch, lesson: Trace
) -> None:
    def step(model: Any, data: Any, optimizer: Any) -> tuple[Tensor, Tensor]:
        loss = mse_loss(model.linear(data.inputs), data.targets)
        loss.backward()
        loss.backward()
        return loss, loss

    found = stepping(monkeypatch, step, one_optimizer)("linear.bias")
    assert found.autograd is None
    assert found.refused is not None
    assert found.refused.startswith("Trying to backward through the graph a second time")
    assert found.refused in found.sentence
    close(found.differences, 2 * closed_form(lesson, 4)["linear.bias"], rtol=1e-7)


def test_a_step_that_raises_by_itself_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def step(model: Any, data: Any) -> tuple[Tensor, Tensor]:
        raise RuntimeError("no such thing\nat all")

    found = stepping(monkeypatch, step)("linear.bias")
    assert found.autograd is found.differences is None
    assert found.sentence == "The step itself raises, so there is no loss to compare by: “no such thing”"
    assert found.parted == 0


def test_a_step_may_look_at_the_gradients_that_came(monkeypatch: pytest.MonkeyPatch, lesson: Trace) -> None:
    """The second loss is |g|² of the first one's gradient, taken as a constant: only the differences see it change."""

    def step(model: Any, data: Any, optimizer: Any) -> tuple[Tensor, Tensor]:
        loss = mse_loss(model.linear(data.inputs), data.targets)
        loss.backward()
        (model.linear.bias.grad.square().sum() + 0 * model.linear.bias.sum()).backward()
        return loss, loss

    found = stepping(monkeypatch, step, one_optimizer)("linear.bias")
    slope = closed_form(lesson, 4)["linear.bias"]
    close(found.autograd, slope, rtol=1e-12)
    # The bias has the Hessian 1: the mean goes over 4 x 2, and 2 / 8 * 4 is 1.
    close(found.differences, slope + 2 * slope, rtol=1e-6)


def test_what_a_step_makes_in_float32_is_made_float64(monkeypatch: pytest.MonkeyPatch, lesson: Trace) -> None:
    def step(model: Any, data: Any) -> tuple[Tensor, Tensor]:
        prediction = model.linear(data.inputs) @ torch.eye(2) + torch.zeros(2)
        assert prediction.dtype is torch.float64
        return mse_loss(prediction, data.targets), prediction

    found = stepping(monkeypatch, step)("linear.weight")
    close(found.autograd, closed_form(lesson, 4)["linear.weight"], rtol=1e-12)


def at_the_bias(trace: Trace, away: float) -> Tensor:
    return torch.from_numpy(trace.attached.parameter("linear.bias", 4).astype(np.float64)) + away


def test_a_jump_at_the_very_weight_is_not_hidden(monkeypatch: pytest.MonkeyPatch, lesson: Trace) -> None:
    def step(model: Any, data: Any) -> tuple[Tensor, Tensor]:
        bias = model.linear.bias
        return bias.sum() + (bias > at_the_bias(lesson, 0.0)).double().sum(), bias

    found = stepping(monkeypatch, step)("linear.bias")
    close(found.autograd, 1.0, rtol=0)
    close(found.differences, 1 + 1 / (2e-7), rtol=1e-6)
    assert found.parted == found.unsettled == 2
    assert "jumps or bends" in found.sentence


def test_a_bend_beside_the_weight_is_gone_with_a_smaller_step(
    monkeypatch: pytest.MonkeyPatch, lesson: Trace
) -> None:
    def step(model: Any, data: Any) -> tuple[Tensor, Tensor]:
        bias = model.linear.bias
        return bias.sum() + (bias - at_the_bias(lesson, 3e-6)).relu().sum(), bias

    found = stepping(monkeypatch, step)("linear.bias")
    close(found.autograd, 1.0, rtol=0)
    close(found.differences, 1.0, atol=1e-8)
    assert found.parted == found.unsettled == 0


def test_a_weight_that_the_loss_does_not_know_is_said_to_be_so(monkeypatch: pytest.MonkeyPatch) -> None:
    found = stepping(monkeypatch, lambda model, data: (model.linear.bias.sum(), data.inputs))("linear.weight")
    assert found.autograd is None
    assert not np.any(found.differences)
    assert found.sentence.startswith(
        "Autograd brings no gradient to `linear.weight`. Nor does the loss change"
    )


@pytest.mark.usefixtures("few")
def test_a_large_parameter_is_compared_in_its_first_elements_and_says_so() -> None:
    settings = Settings("classifier", epochs=1)
    found = compare(settings, "hidden_2.weight", detached=False)
    assert found.shape == (12, 12)
    assert (found.size, found.compared) == (144, FEW)
    assert found.differences is not None
    assert found.differences.shape == (FEW,)
    assert f"the first {FEW} of its 144 elements" in found.sentence


def test_a_run_that_has_diverged_has_no_slopes() -> None:
    settings = Settings(learning_rate=1.0, optimizer="sgd", epochs=60)
    found = compare(settings, "linear.bias", 60, detached=False)
    assert "diverged" in found.sentence
    assert found.parted == 0


@pytest.mark.parametrize(
    ("name", "epoch", "field"), [("linear", 1, "parameter"), ("linear.bias", 6, "epoch")]
)
def test_what_the_run_does_not_have_is_refused(lesson: Trace, name: str, epoch: int, field: str) -> None:
    with pytest.raises(SettingsError) as refused:
        compare(lesson.settings, name, epoch, trace=lesson)
    assert refused.value.field == field


def test_a_trace_of_another_run_is_refused(lesson: Trace) -> None:
    with pytest.raises(SettingsError, match="the trace of the same settings"):
        compare(Settings(epochs=6), "linear.bias", trace=lesson)


def test_it_is_the_same_whatever_the_caller_has_switched_off_and_changes_nothing(lesson: Trace) -> None:
    weights, state = lesson.attached.weights.tobytes(), torch.get_rng_state()
    found = compare(lesson.settings, "linear.bias", 2, False, lesson)
    with torch.no_grad():
        again = compare(lesson.settings, "linear.bias", 2, False, lesson)
        assert not torch.is_grad_enabled()
    assert found.autograd is not None
    assert again.autograd is not None
    assert found.autograd.tobytes() == again.autograd.tobytes()
    assert found.sentence == again.sentence
    assert lesson.attached.weights.tobytes() == weights
    assert torch.equal(torch.get_rng_state(), state)
    with pytest.raises(ValueError, match="read-only"):
        found.autograd[0] = 1


def test_it_is_computed_once_for_everybody() -> None:
    key = ComparisonKey(Settings(), "linear.bias", 3, True)
    found = comparison_of(key)
    assert comparison_of(key) is found
    assert found.nbytes < 2_000
