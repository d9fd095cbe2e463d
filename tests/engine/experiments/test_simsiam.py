"""What SimSiam's story says, over 20 seeds, against a loss written by hand with its targets held as numbers."""

import pytest
import torch
from torch import Tensor, nn

from engine import Settings, train
from engine.evidence.verdicts import judge
from engine.experiments.simsiam import measure
from engine.twins.experiment_script import script_of
from engine.twins.trace import Run, Trace
from engine.twins.training import start_model
from tests.claims import backs

SEEDS = range(20)
DEFAULT = Settings("simsiam")
ALONE = DEFAULT.choosing("predictor", "false")


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    return [train(DEFAULT.changed(seed=seed, epochs=40)) for seed in SEEDS]


@pytest.fixture(scope="module")
def alone() -> list[Trace]:
    return [train(ALONE.changed(seed=seed, epochs=20)) for seed in SEEDS]


def spread(run: Run) -> float:
    assert run.measures is not None
    return run.measures[-1]


def gradients(settings: Settings, detached: bool) -> dict[str, Tensor]:
    model = start_model(settings)
    script_of(settings).step(detached)(model, script_of(settings).make_data(settings.seed))[0].backward()
    return {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}


def by_hand(one: Tensor, other: Tensor) -> Tensor:
    """The mean cosine of the rows of two tensors."""
    lengths = one.square().sum(dim=1).sqrt() * other.square().sum(dim=1).sqrt()
    return ((one * other).sum(dim=1) / lengths).mean()


@backs("simsiam.summary", "Two views")
@backs("simsiam.story", "With the detach each view", "Without it the loss is lower")
def test_without_the_stop_gradient_the_embeddings_collapse_and_with_it_they_dont(traces: list[Trace]) -> None:
    for trace in traces:
        without, with_ = trace.runs
        assert without.measures is not None
        assert spread(without) < 0.35
        assert spread(without) < without.measures[19]
        assert spread(with_) > 0.6
        assert spread(with_) > 2 * spread(without)


def test_at_the_default_settings_less_than_a_fifth_is_left() -> None:
    for seed in (0, 1):
        trace = train(DEFAULT.changed(seed=seed))
        assert spread(trace.attached) < 0.2
        assert spread(trace.detached) > 0.6


@backs("simsiam.story", "Without it the loss is lower")
def test_the_collapsed_twin_has_the_lower_loss(traces: list[Trace]) -> None:
    for trace in traces:
        assert trace.attached.losses[-1] < -0.99
        assert trace.detached.losses[-1] > -0.98


@backs("simsiam.story", "The detach needs its predictor")
def test_without_a_predictor_the_embeddings_collapse_either_way(alone: list[Trace]) -> None:
    for trace in alone:
        assert max(spread(run) for run in trace.runs) < 0.2


@backs("simsiam.story", "The detach needs its predictor")
def test_without_a_predictor_the_stop_gradient_halves_the_gradient() -> None:
    for seed in SEEDS:
        plain, stopped = (gradients(ALONE.changed(seed=seed), detached) for detached in (False, True))
        assert plain.keys() == stopped.keys()
        for name in plain:
            assert torch.allclose(stopped[name], plain[name] / 2, atol=1e-6), name


@backs("simsiam.story", "With the detach each view")
def test_the_gradient_with_it_is_that_of_targets_that_are_numbers() -> None:
    for seed in SEEDS:
        settings = DEFAULT.changed(seed=seed)
        data, model = script_of(settings).make_data(seed), start_model(settings)
        encoder, predictor = model.encoder, model.predictor
        assert isinstance(encoder, nn.Module)
        assert isinstance(predictor, nn.Module)
        views = data.view_1, data.view_2
        with torch.no_grad():
            numbers = [torch.tensor(encoder(view).tolist()) for view in views]
        one, two = (predictor(encoder(view)) for view in views)
        (-(by_hand(one, numbers[1]) + by_hand(two, numbers[0])) / 2).backward()
        stopped, attached = (gradients(settings, detached) for detached in (True, False))
        for name, parameter in model.named_parameters():
            assert parameter.grad is not None
            assert torch.allclose(stopped[name], parameter.grad, atol=1e-5), name
            if name.startswith("predictor"):
                assert torch.allclose(attached[name], stopped[name], atol=1e-6), name
        far = attached["encoder.linear_2.weight"] - stopped["encoder.linear_2.weight"]
        assert far.norm() > 0.1 * stopped["encoder.linear_2.weight"].norm()


@backs("simsiam.measure", "How much the directions", "It is their standard deviation")
def test_the_measure_is_1_for_an_even_spread_and_0_for_a_single_direction() -> None:
    model = start_model(DEFAULT)
    for seed in SEEDS:
        generator = torch.Generator().manual_seed(seed)
        around = torch.randn(5_000, 8, generator=generator)
        assert measure(model, None, around).item() == pytest.approx(1, abs=0.02)  # type: ignore[arg-type]
        one_way = torch.rand(50, 1, generator=generator) * around[:1] + 0.01 * around[:1]
        assert measure(model, None, one_way).item() < 1e-5  # type: ignore[arg-type]


def test_both_targets_are_marked_and_only_with_the_predictor_does_it_learn_something_else(
    traces: list[Trace], alone: list[Trace]
) -> None:
    assert len(script_of(DEFAULT).marked_lines) == 2
    for trace, kind in ((traces[0], "learns something else"), (alone[0], "ends alike")):
        found = judge(trace)
        assert found.kind == kind
        assert "the spread of the embeddings from" in found.sentence
