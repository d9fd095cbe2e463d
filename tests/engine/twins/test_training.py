"""Training: held against plain torch loops written here, against finite differences, and against itself."""

import csv
import io
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from engine import Run, Settings, Trace, record, train
from engine.experiments import experiment_names
from engine.settings import OPTIMIZERS, places
from engine.text import number_text
from engine.twins.experiment_script import script_of
from engine.twins.training import start_model

LOSSES = ["0.8523", "0.5985", "0.3977", "0.2495", "0.1516"]
"""The reference lesson's, as they are shown."""


def same(one: Trace, other: Trace) -> bool:
    return all(
        a.weights.tobytes() == b.weights.tobytes() and repr(a.losses) == repr(b.losses)
        for a, b in zip(one.runs, other.runs, strict=True)
    )


def test_the_number_of_threads_does_not_change_a_bit() -> None:
    one = train(Settings("simsiam"))
    try:
        torch.set_num_threads(2)
        assert same(train(Settings("simsiam")), one)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)


def test_the_lesson_without_detach_gives_its_five_losses() -> None:
    assert [number_text(loss) for loss in train(Settings()).attached.losses] == LOSSES


def test_the_lesson_with_detach_stays_where_it_started_and_keeps_the_words() -> None:
    run = train(Settings()).detached
    assert [number_text(loss) for loss in run.losses] == [LOSSES[0]] * 5
    assert run.refusal == "element 0 of tensors does not require grad and does not have a grad_fn"
    assert run.never_moved == ("linear",)
    assert run.gradient_norms == ((None,) * 5,)


def test_the_lessons_table_is_epoch_4() -> None:
    answers = train(Settings()).attached.predictions[3]
    table = [[round(float(number), 1) for number in row] for row in answers]
    assert table == [[0.5, 1.2], [1.1, 2.3], [1.7, 3.4], [2.3, 4.5]]


def plain_lesson(
    detach: bool, epochs: int, make: Callable[..., torch.optim.Optimizer]
) -> tuple[list[float], nn.Linear]:
    layer = nn.Linear(3, 2)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[-0.02, 0.14, 0.14], [0.07, 0.08, 0.15]]))
        layer.bias.copy_(torch.tensor([-0.04, 0.39]))
    x = torch.arange(1.0, 13.0).reshape(4, 3)
    y = torch.tensor([[0.3, 1.8], [0.7, 3.1], [1.3, 4.0], [2.1, 5.0]])
    optimizer, losses = make(layer.parameters()), []
    for _ in range(epochs):
        out = layer(x).detach() if detach else layer(x)
        loss = ((out - y) ** 2).mean()
        losses.append(loss.item())
        if detach:
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses, layer


MAKERS: dict[str, Callable[[float], Callable[..., torch.optim.Optimizer]]] = {
    "sgd": lambda rate: lambda p: torch.optim.SGD(p, rate),
    "momentum": lambda rate: lambda p: torch.optim.SGD(p, rate, momentum=0.9),
    "adam": lambda rate: lambda p: torch.optim.Adam(p, rate),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_lesson_equals_a_plain_loop(optimizer: str) -> None:
    trace = train(Settings(optimizer=optimizer, epochs=30, learning_rate=0.003))
    for run in trace.runs:
        losses, layer = plain_lesson(run.detached, 30, MAKERS[optimizer](0.003))
        assert run.losses == pytest.approx(losses, rel=1e-5)
        assert np.allclose(
            run.parameter("linear.weight", 31), layer.weight.detach().numpy(), rtol=1e-4, atol=1e-6
        )


@pytest.mark.parametrize("where", places("classifier"))
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_classifier_equals_a_plain_loop(where: str, optimizer: str) -> None:
    s = Settings("classifier", where, 12, 0.02, optimizer)
    data = script_of(s).make_data()
    for run in train(s).runs:
        first, second, third = nn.Linear(2, 12), nn.Linear(12, 12), nn.Linear(12, 3)
        net = nn.ModuleDict({"hidden_1": first, "hidden_2": second, "output": third})
        net.load_state_dict(start_model(s).state_dict())
        opt = MAKERS[optimizer](0.02)(net.parameters())
        for epoch in range(12):
            hidden = torch.tanh(first(data.inputs))
            hidden = hidden.detach() if run.detached and where == "hidden_1" else hidden
            hidden = torch.tanh(second(hidden))
            hidden = hidden.detach() if run.detached and where == "hidden_2" else hidden
            scores = third(hidden)
            scores = scores.detach() if run.detached and where == "output" else scores
            loss = (scores.logsumexp(1) - scores[torch.arange(60), data.targets]).mean()
            assert run.losses[epoch] == pytest.approx(loss.item(), rel=1e-4)
            assert run.accuracies is not None
            assert run.accuracies[epoch] == pytest.approx(
                (scores.argmax(1) == data.targets).float().mean().item()
            )
            opt.zero_grad()
            if loss.requires_grad:
                loss.backward()
                for layer, norms in zip(run.layers, run.gradient_norms, strict=True):
                    found = [p.grad for p in net.get_submodule(layer).parameters() if p.grad is not None]
                    if found:
                        assert norms[epoch] == pytest.approx(
                            torch.cat([g.reshape(-1) for g in found]).norm().item(), rel=1e-3
                        )
                    else:
                        assert norms[epoch] is None
                opt.step()
        for parameter in run.parameters:
            last = dict(net.named_parameters())[parameter.name].detach().numpy()
            assert np.allclose(run.parameter(parameter.name, 13), last, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("experiment", ["lesson", "classifier"])
def test_gradients_equal_finite_differences_where_nothing_is_cut(experiment: str) -> None:
    s = Settings(experiment=experiment)
    script = script_of(s)
    model, data = start_model(s).double(), script.make_data()
    doubled = type(data)(*(t.double() if t.is_floating_point() else t for t in data))
    script.step_without_detach(model, doubled)[0].backward()

    def loss() -> float:
        with torch.no_grad():
            return float(script.step_without_detach(model, doubled)[0])

    for parameter in model.parameters():
        assert parameter.grad is not None
        numbers, gradient = parameter.data.view(-1), parameter.grad.view(-1)
        for i in range(0, len(numbers), 7):
            numbers[i] += 1e-6
            above = loss()
            numbers[i] -= 2e-6
            below = loss()
            numbers[i] += 1e-6
            assert gradient[i].item() == pytest.approx((above - below) / 2e-6, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("where", places("classifier")[:-1])
def test_layers_below_the_detach_never_move_and_layers_above_do(where: str) -> None:
    layers = ("hidden_1", "hidden_2", "output")
    below = layers[: layers.index(where) + 1]
    trace = train(Settings("classifier", where, 10))
    assert trace.detached.never_moved == below
    assert trace.attached.never_moved == ()
    assert trace.parted_at == 2


@pytest.mark.parametrize("experiment", experiment_names())
def test_nowhere_means_that_the_twins_are_equal(experiment: str) -> None:
    trace = train(Settings(experiment=experiment, detach="nowhere", epochs=10))
    assert trace.attached.weights.tobytes() == trace.detached.weights.tobytes()
    assert trace.parted_at is None


def test_divergence_is_kept_and_named() -> None:
    run = train(Settings(optimizer="sgd", learning_rate=1.0, epochs=60)).attached
    assert run.diverged_at is not None
    assert not math.isfinite(run.losses[run.diverged_at - 1])
    assert all(math.isfinite(loss) for loss in run.losses[: run.diverged_at - 1])
    assert len(run.losses) == 60


@settings(deadline=None, max_examples=20)
@given(
    st.sampled_from(experiment_names()),
    st.integers(1, 8),
    st.sampled_from(OPTIMIZERS),
    st.integers(0, 99),
    st.data(),
)
def test_shapes_of_a_trace(
    experiment: str, epochs: int, optimizer: str, seed: int, data: st.DataObject
) -> None:
    where = data.draw(st.sampled_from(places(experiment)))
    trace = train(Settings(experiment, where, epochs, optimizer=optimizer, start="random", seed=seed))
    for run in trace.runs:
        assert len(run.losses) == len(run.predictions) == epochs
        assert len(run.weights) == epochs + 1
        assert len(run.to_frame()) == epochs
        task = trace.settings.described().task
        assert (run.accuracies is not None) == (task == "classification")
        assert (run.r2 is not None) == (task == "regression")
    refused = any(run.refusal for run in trace.runs)
    assert refused or trace.attached.losses[0] == pytest.approx(trace.detached.losses[0], rel=1e-6)
    assert len(trace.to_frame()) == 2 * epochs
    assert str(epochs) in str(trace)


def test_r2_is_that_of_the_definition() -> None:
    run = train(Settings()).attached
    y = np.array([[0.3, 1.8], [0.7, 3.1], [1.3, 4.0], [2.1, 5.0]])
    total = ((y - y.mean(axis=0)) ** 2).sum()
    assert run.r2 is not None
    for loss, r2 in zip(run.losses, run.r2, strict=True):
        assert r2 == pytest.approx(1 - 8 * loss / total, rel=1e-4)


def test_the_callback_hears_of_each_epoch_and_can_stop() -> None:
    heard: list[tuple[int, int]] = []
    train(Settings(epochs=3), lambda done, total: heard.append((done, total)))
    assert heard == [(n, 6) for n in range(1, 7)]

    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == 4:
            raise Stop

    with pytest.raises(Stop):
        train(Settings(epochs=3), stop)


def test_results_cannot_be_changed() -> None:
    run = train(Settings()).attached
    for array in (run.weights, run.predictions, run.parameter("linear.weight", 1)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


def test_200_runs_in_8_threads_are_the_same_bits_as_alone() -> None:
    wanted = [
        Settings("lesson", start="random", seed=n, epochs=4)
        if n % 2
        else Settings("classifier", seed=n, epochs=4)
        for n in range(25)
    ]
    alone = [train(s) for s in wanted]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(train, wanted * 8))
    assert all(same(one, alone[n % 25]) for n, one in enumerate(together))


def test_neither_the_global_seed_nor_the_grad_mode_matters_or_changes() -> None:
    state = torch.get_rng_state()
    one = train(Settings("classifier", epochs=3))
    assert torch.equal(torch.get_rng_state(), state)
    torch.rand(7)
    assert same(one, train(Settings("classifier", epochs=3)))
    assert torch.is_grad_enabled()


@pytest.mark.parametrize(
    "around", [torch.no_grad, torch.inference_mode, lambda: torch.autocast("cpu", torch.bfloat16)]
)
def test_what_the_caller_has_switched_off_changes_nothing(
    around: Callable[[], AbstractContextManager[None]],
) -> None:
    s = Settings("classifier", epochs=3)
    alone, step = train(s), record(s, epoch=2)
    with around():
        assert same(train(s), alone)
        assert record(s, epoch=2).loss == step.loss
        assert [p.state for p in record(s, epoch=2).parameters] == [p.state for p in step.parameters]


def test_another_default_dtype_is_refused_in_one_sentence() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        with pytest.raises(RuntimeError, match=r"is torch\.float64, expected torch\.float32"):
            train(Settings())
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("wrong", ["lesson", Settings, None, 3])
def test_training_something_else_is_refused_in_one_sentence(wrong: object) -> None:
    with pytest.raises(TypeError, match="expected Settings"):
        train(wrong)  # type: ignore[arg-type]


def test_a_parameter_or_epoch_that_is_not_there_is_named_with_what_is() -> None:
    run = train(Settings()).attached
    with pytest.raises(ValueError, match=r"no parameter 'foo'; there are linear\.weight, linear\.bias"):
        run.parameter("foo", 1)
    for epoch in (0, -1, 7):
        with pytest.raises(ValueError, match="expected 1 to 6"):
            run.parameter("linear.weight", epoch)


def test_the_csv_keeps_every_digit_and_tells_none_from_nan() -> None:
    trace = train(Settings(optimizer="sgd", learning_rate=1.0, epochs=40))
    rows = list(csv.DictReader(io.StringIO(trace.to_csv())))
    assert [repr(float(row["loss"])) for row in rows] == [
        repr(loss) for run in trace.runs for loss in run.losses
    ]
    norms = [row["gradient norm linear"] for row in rows]
    assert "nan" in norms[:40]
    assert set(norms[40:]) == {""}


def weights_of(run: Run, epoch: int) -> Tensor:
    return torch.tensor(run.weights[epoch])


def test_the_first_row_of_weights_is_the_start() -> None:
    s = Settings("classifier", seed=3)
    start = torch.cat([p.detach().view(-1) for p in start_model(s).parameters()])
    for run in train(s).runs:
        assert torch.equal(weights_of(run, 0), start)
