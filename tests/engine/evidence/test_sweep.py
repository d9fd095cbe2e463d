"""The sweep: held against separate runs, against the eigenvalues of a quadratic, and against itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from engine import Settings, SettingsError, train
from engine.evidence.batched import Unbatchable, connected, write_out
from engine.evidence.sweep import Curve, SweepError, default_rates, exact_edge, refusal, sweep
from engine.experiments import experiment_names, find_experiment
from engine.serving.results import sweep_of, sweeps
from engine.settings import LEARNING_RATE, NOWHERE, OPTIMIZERS, places
from engine.twins import experiment_script
from engine.twins.experiment_script import script_of
from engine.twins.training import start_model

SWEPT = [name for name in experiment_names() if refusal(Settings(name)) is None]
RATES = default_rates(16)


def kind(loss: float) -> str:
    return "finite" if math.isfinite(loss) else str(loss)


@contextmanager
def in_float64() -> Iterator[None]:
    """Experiments whose models and data are float64.

    A batched product adds up in another order than a single one, and each processor in one of its own. In float32 that
    grows to any size at rates at which a run swings or diverges. In float64 it starts a billion times smaller: where two
    runs part here, a formula differs.
    """
    plain = experiment_script.script

    def doubled(*key: Any) -> experiment_script.Script:
        script = plain(*key)

        def make_data(*given: torch.Generator) -> Any:
            data = script.data(*given)
            return type(data)(*(t.double() if t.is_floating_point() else t for t in data))

        return replace(
            script, data=make_data, make_model=lambda start, rng: script.make_model(start, rng).double()
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiment_script, "script", doubled)
        yield


@st.composite
def runs(draw: st.DrawFn) -> Settings:
    experiment = draw(st.sampled_from(SWEPT))
    return Settings(
        experiment,
        draw(st.sampled_from(places(experiment))),
        draw(st.integers(1, 20)),
        optimizer=draw(st.sampled_from(OPTIMIZERS)),
        start=draw(st.sampled_from(find_experiment(experiment).starts)),
        seed=draw(st.integers(0, 99)),
    )


@settings(deadline=None, max_examples=20)
@given(runs(), st.sets(st.integers(0, len(RATES) - 1), min_size=2, max_size=2))
def test_every_rate_is_a_separate_run(run: Settings, chosen: set[int]) -> None:
    with in_float64():
        swept = sweep(run, RATES)
        traces = [(number, train(run.changed(learning_rate=RATES[number]))) for number in sorted(chosen)]
    for number, trace in traces:
        for curve, alone in zip(swept.curves, trace.runs, strict=True):
            assert kind(curve.losses[number]) == kind(alone.losses[-1])
            assert curve.losses[number] == pytest.approx(alone.losses[-1], rel=1e-6, abs=1e-12, nan_ok=True)
            assert curve.finite[number] == (alone.diverged_at is None)
            assert curve.first == pytest.approx(alone.losses[0], rel=1e-6)
            assert curve.learns == (alone.refusal is None)


@pytest.mark.filterwarnings("ignore:overflow")  # a trace keeps float32 weights
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_lesson_is_separate_runs_at_any_rate_also_beyond_the_edge(optimizer: str) -> None:
    run = Settings(optimizer=optimizer, epochs=60)
    with in_float64():
        curve = sweep(run).attached
        assert (curve.edge is None) == (optimizer == "adam")
        for number in range(80, 256, 35):
            alone = train(run.changed(learning_rate=curve.rates[number])).attached
            assert kind(curve.losses[number]) == kind(alone.losses[-1])
            assert curve.losses[number] == pytest.approx(alone.losses[-1], rel=1e-6, nan_ok=True)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_up_to_the_edge_float32_is_float64_but_for_its_rounding(optimizer: str) -> None:
    """Beyond it rounding grows without bound, so there the two are not compared."""
    run = Settings(optimizer=optimizer, epochs=60)
    curve = sweep(run).attached
    with in_float64():
        exact = sweep(run).attached
    assert curve.edge == exact.edge
    end = exact.edge[0] if exact.edge is not None else exact.rates[-1]
    for rate, loss, wanted in zip(curve.rates, curve.losses, exact.losses, strict=True):
        if rate < end:
            assert loss == pytest.approx(wanted, rel=1e-3), rate


@pytest.mark.parametrize("name", [name for name in SWEPT if find_experiment(name).options])
def test_each_choice_of_an_option_is_swept_as_it_is_trained(name: str) -> None:
    usual = Settings(name, epochs=6)
    for option in find_experiment(name).options:
        for choice in option.choices:
            run = usual.choosing(option.name, choice.text)
            if refusal(run):
                with pytest.raises(SweepError, match="cannot be swept"):
                    sweep(run, (0.01, 0.1))
                continue
            curves = sweep(run, (0.01, 0.1)).curves
            alone = train(run.changed(learning_rate=0.1)).runs
            for curve, one in zip(curves, alone, strict=True):
                assert curve.losses[1] == pytest.approx(one.losses[-1], rel=1e-6)


def quadratic(epochs: int, rates: tuple[float, ...]) -> list[float]:
    """The lesson's last losses by plain descent, in closed form: each eigenvector shrinks by itself, in float64."""
    x = np.hstack([np.arange(1.0, 13.0).reshape(4, 3), np.ones((4, 1))])
    y = np.array([[0.3, 1.8], [0.7, 3.1], [1.3, 4.0], [2.1, 5.0]])
    start = np.array([[-0.02, 0.14, 0.14, -0.04], [0.07, 0.08, 0.15, 0.39]]).T
    values, vectors = np.linalg.eigh(x.T @ x / 4)
    best = np.linalg.lstsq(x, y, rcond=None)[0]
    losses = []
    for rate in rates:
        shrunk = (1 - rate * values) ** (epochs - 1)
        weights = best + vectors @ (shrunk[:, None] * (vectors.T @ (start - best)))
        losses.append(float(((x @ weights - y) ** 2).mean()))
    return losses


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("epochs", [1, 2, 30, 300])
def test_plain_descent_on_the_lesson_is_the_closed_form(epochs: int) -> None:
    curve = sweep(Settings(optimizer="sgd", epochs=epochs)).attached
    wanted = quadratic(epochs, curve.rates)
    for loss, exact in zip(curve.losses, wanted, strict=True):
        if exact < 1e30:
            assert loss == pytest.approx(exact, rel=1e-3)
        else:
            assert not loss < 1e25


def test_the_exact_edge_is_that_of_the_inputs_covariance() -> None:
    x = np.hstack([np.arange(1.0, 13.0).reshape(4, 3), np.ones((4, 1))])
    largest = np.linalg.eigvalsh(x.T @ x / 4)[-1]
    assert exact_edge(Settings(optimizer="sgd")) == pytest.approx(2 / largest, rel=1e-12)
    assert exact_edge(Settings(optimizer="sgd", start="random", seed=3)) == pytest.approx(
        2 / largest, rel=1e-12
    )


@pytest.mark.parametrize(
    "run", [Settings(), Settings(optimizer="momentum"), Settings("classifier", optimizer="sgd")]
)
def test_there_is_no_exact_edge_but_for_plain_descent_on_a_quadratic(run: Settings) -> None:
    assert exact_edge(run) is None


@pytest.mark.parametrize("seed", range(3))
def test_with_enough_epochs_the_measured_edge_holds_the_exact_one(seed: int) -> None:
    run = Settings(optimizer="sgd", epochs=500, start="random", seed=seed)
    exact, curve = exact_edge(run), sweep(run).attached
    assert exact is not None
    assert curve.edge is not None
    below, above = curve.edge
    assert below < exact < above
    assert all(gone == (rate > exact) for rate, gone in zip(curve.rates, curve.diverged, strict=True))


@settings(deadline=None, max_examples=10)
@given(st.integers(1, 30), st.integers(0, 99))
def test_with_any_epochs_nothing_below_the_exact_edge_diverges(epochs: int, seed: int) -> None:
    run = Settings(optimizer="sgd", epochs=epochs, start="random", seed=seed)
    exact, curve = exact_edge(run), sweep(run, RATES).attached
    assert exact is not None
    assert not any(gone for rate, gone in zip(curve.rates, curve.diverged, strict=True) if rate < exact)


def test_where_nothing_is_connected_every_loss_is_the_first() -> None:
    attached, detached = sweep(Settings()).curves
    assert set(detached.losses) == {detached.first}
    assert detached.first == pytest.approx(attached.first, rel=1e-6)
    assert (detached.learns, attached.learns) == (False, True)
    assert detached.edge is None
    assert not any(detached.diverged)


@pytest.mark.parametrize("experiment", SWEPT)
def test_nowhere_means_that_the_twins_are_equal(experiment: str) -> None:
    attached, detached = sweep(Settings(experiment, NOWHERE, 5), RATES).curves
    assert repr(attached.losses) == repr(detached.losses)


def curve_of(*losses: float, finite: tuple[bool, ...] = ()) -> Curve:
    rates = tuple(0.1 * number for number in range(1, len(losses) + 1))
    return Curve(False, rates, 1.0, losses, finite or tuple(map(math.isfinite, losses)), True)


def test_the_edge_lies_between_the_last_rate_that_holds_and_the_first_that_does_not() -> None:
    assert curve_of(0.5, 0.2, 0.9).edge is None
    assert curve_of(0.5, 1.2, 0.9).edge == (0.1, 0.2)
    assert curve_of(0.5, 0.2, math.nan).edge == pytest.approx((0.2, 0.3))
    assert curve_of(math.inf, 0.2).edge == (0.0, 0.1)
    assert curve_of(0.5, 0.2, finite=(True, False)).edge == (0.1, 0.2)
    assert curve_of(1.0, 1.0000001).diverged == (False, False)


def test_the_best_rate_is_the_smallest_with_the_lowest_finite_loss() -> None:
    assert curve_of(0.5, 0.2, 0.2, math.nan).best == (0.2, 0.2)
    assert curve_of(0.5, 0.2, finite=(True, False)).best == (0.1, 0.5)
    assert math.isnan(curve_of(math.nan).best[1])


def test_the_usual_rates_are_all_that_is_allowed_on_a_log_scale() -> None:
    rates = default_rates()
    assert len(rates) == 256
    assert (rates[0], rates[-1]) == LEARNING_RATE
    assert np.ptp(np.diff(np.log(rates))) < 1e-12


@pytest.mark.parametrize("rates", [(), (0.1, 0.1), (0.2, 0.1), (0.0,), (0.1, 2.0), (math.nan,), ("a",)])
def test_rates_that_are_not_allowed_are_refused(rates: Any) -> None:
    with pytest.raises(SettingsError, match="rates: got"):
        sweep(Settings(), rates)


def test_sweeping_something_else_is_refused_in_one_sentence() -> None:
    with pytest.raises(TypeError, match="expected Settings"):
        sweep("lesson")  # type: ignore[arg-type]


def test_the_callback_hears_of_each_epoch_and_can_stop() -> None:
    heard: list[tuple[int, int]] = []
    sweep(Settings(detach=NOWHERE, epochs=3), RATES, lambda done, total: heard.append((done, total)))
    assert heard == [(n, 6) for n in range(1, 7)]

    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        sweep_of(Settings(epochs=17), stop)
    assert Settings(epochs=17, learning_rate=LEARNING_RATE[0]) not in sweeps


def test_a_sweep_is_kept_whatever_the_learning_rate() -> None:
    one = sweep_of(Settings(epochs=4))
    assert sweep_of(Settings(epochs=4, learning_rate=0.5)) is one
    assert sweep_of(Settings(epochs=3)) is not one


def test_what_cannot_be_swept_says_why_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def as_if(**differences: object) -> None:
        real = script_of(Settings())
        script = SimpleNamespace(**{"own_optimizers": False, "told_the_epoch": False, **differences})
        monkeypatch.setattr("engine.evidence.sweep.script_of", lambda _: script if differences else real)

    as_if(own_optimizers=True)
    with pytest.raises(SweepError, match="moves the parameters itself"):
        sweep(Settings())
    assert exact_edge(Settings(optimizer="sgd")) is None
    as_if(told_the_epoch=True)
    with pytest.raises(SweepError, match="told the epoch"):
        sweep(Settings())
    as_if()
    for other, words in (
        (torch.optim.Adagrad([torch.zeros(1)]), "trained by Adagrad"),
        (torch.optim.Adam([torch.zeros(1)], weight_decay=0.1), "Adam without weight_decay"),
    ):
        monkeypatch.setattr("engine.evidence.sweep._optimizer", lambda _, other=other: other)
        with pytest.raises(SweepError, match=words):
            sweep(Settings())


X, Y = torch.linspace(-1, 1, 12).view(4, 3), torch.linspace(0, 1, 8).view(4, 2)


def in_place(model: nn.Module, data: object) -> tuple[Tensor, Tensor]:
    hidden = model(X) * 1
    hidden[:, 0] += 1
    hidden = hidden.clone().relu_() / 1
    return (hidden - Y).square().mean(), hidden


def reused(model: nn.Module, data: object) -> tuple[Tensor, Tensor]:
    """The same values in several shapes, a choice that is always the same, and one that is not."""
    hidden = model(X)
    chosen = torch.where(torch.ones_like(hidden) > 0, hidden, hidden * 2)
    other = torch.where(hidden > 0.1, hidden.t().t().view(8).view(4, 2), torch.zeros_like(hidden))
    return (chosen * other * torch.ones(4, 2)).sum() + model(X).detach().max() * hidden.exp().mean(), hidden


@pytest.mark.parametrize("step", [in_place, reused])
def test_a_step_written_out_gives_each_rate_its_own_gradient(step: Any) -> None:
    model = nn.Linear(3, 2)
    written = write_out(model, step, None, ("weight", "bias"), 3)
    stacked = [torch.randn(3, 2, 3), torch.randn(3, 2)]
    replay = written.bind(stacked)
    for _ in range(2):
        gradients, losses = replay()
        for row in range(3):
            one = nn.Linear(3, 2)
            one.load_state_dict({"weight": stacked[0][row], "bias": stacked[1][row]})
            loss, _ = step(one, None)
            loss.backward()
            assert losses[row].item() == pytest.approx(loss.item(), rel=1e-5)
            for gradient, parameter in zip(gradients, one.parameters(), strict=True):
                assert parameter.grad is not None
                assert torch.allclose(gradient[row], parameter.grad, rtol=1e-4, atol=1e-6)
        for values in stacked:
            values.mul_(-0.7)  # it reads them where they are


def dropping(model: nn.Module, data: object) -> tuple[Tensor, Tensor]:
    hidden = nn.functional.dropout(model(X))
    return hidden.sum(), hidden


def branching(model: nn.Module, data: object) -> tuple[Tensor, Tensor]:
    hidden = model(X)
    return (hidden if hidden.sum() > 0 else 2 * hidden).sum(), hidden


def counting(model: nn.Module, data: object) -> tuple[Tensor, Tensor]:
    with torch.no_grad():
        cast(Tensor, model.bias).add_(1)
    return model(X).sum(), model(X)


@pytest.mark.parametrize("step", [dropping, branching, counting])
def test_a_step_that_is_not_the_same_for_every_rate_is_refused(step: Any) -> None:
    with pytest.raises(Unbatchable):
        write_out(nn.Linear(3, 2), step, None, ("weight", "bias"), 3)


@pytest.mark.parametrize("where", places("classifier"))
def test_only_what_gets_a_gradient_is_stacked(where: str) -> None:
    run = Settings("classifier", where)
    names = connected(start_model(run), script_of(run).step_with_detach, script_of(run).make_data())
    parameters = [name for name, _ in start_model(run).named_parameters()]
    above = 2 * (places("classifier").index(where) + 1)
    assert list(names) == (parameters if where == NOWHERE else parameters[above:])
