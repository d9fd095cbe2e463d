"""What the straight-through estimator's story says, over 20 seeds, against a rounding whose Jacobian is written by hand."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import mse_loss

from engine import Settings, train
from engine.evidence.verdicts import judge
from engine.experiments.straight_through import Data
from engine.twins.experiment_script import script_of
from engine.twins.trace import Trace
from engine.twins.training import start_model
from tests.claims import backs

SEEDS = range(20)
DEFAULT = Settings("straight_through")
PLAIN = DEFAULT.choosing("rounding", "plain")


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    return [train(DEFAULT.changed(seed=seed, epochs=60)) for seed in SEEDS]


@pytest.fixture(scope="module")
def plain() -> list[Trace]:
    return [train(PLAIN.changed(seed=seed, epochs=10)) for seed in SEEDS]


class Rounded(torch.autograd.Function):
    """Rounds, and takes the identity for the Jacobian of that."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor) -> Tensor:
        return inputs.round()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return gradients[0].clone()


def data_of(seed: int) -> Data:
    data: Data = script_of(DEFAULT).make_data(seed)
    return data


def gradients(settings: Settings, detached: bool) -> dict[str, Tensor]:
    model = start_model(settings)
    script_of(settings).step(detached)(model, data_of(settings.seed))[0].backward()
    return {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}


@backs("straight_through.summary", "An encoder")
@backs("straight_through.story", "With the detach the values are rounded")
def test_the_gradient_is_that_of_a_rounding_with_the_identity_for_a_jacobian() -> None:
    for seed in SEEDS:
        data = data_of(seed)
        weights = {
            n: p.detach().requires_grad_()
            for n, p in start_model(DEFAULT.changed(seed=seed)).named_parameters()
        }
        hidden = data.inputs @ weights["encoder.weight"].T + weights["encoder.bias"]
        code: Tensor = Rounded.apply(hidden)  # type: ignore[no-untyped-call]
        prediction = code @ weights["decoder.weight"].T + weights["decoder.bias"]
        mse_loss(prediction, data.targets).backward()
        found = gradients(DEFAULT.changed(seed=seed), True)
        assert found.keys() == weights.keys()
        assert found["encoder.weight"].abs().max() > 1e-3
        for name, weight in weights.items():
            assert weight.grad is not None
            assert torch.allclose(found[name], weight.grad, atol=1e-5), name


@backs("straight_through.story", "Without it the two parts cancel")
def test_without_the_detach_the_encoder_gets_exact_zeros_and_never_moves(traces: list[Trace]) -> None:
    for trace in traces:
        layers = dict(zip(trace.attached.layers, trace.attached.gradient_norms, strict=True))
        assert set(layers["encoder"]) == {0.0}
        assert all(norm for norm in layers["decoder"])
        assert trace.attached.never_moved == ("encoder",)
        assert trace.detached.never_moved == ()


@backs("straight_through.summary", "An encoder")
def test_with_it_the_loss_ends_clearly_lower(traces: list[Trace]) -> None:
    for trace in traces:
        assert trace.attached.losses[0] == pytest.approx(trace.detached.losses[0], rel=1e-6)
        assert trace.detached.losses[-1] < 0.25 * trace.attached.losses[-1]
        assert trace.detached.losses[-1] < 0.05


def test_no_decoder_makes_up_for_an_encoder_that_cant_learn(traces: list[Trace]) -> None:
    for seed, trace in zip(SEEDS, traces, strict=True):
        data, weights = data_of(seed), dict(start_model(DEFAULT.changed(seed=seed)).named_parameters())
        with torch.no_grad():
            hidden = data.inputs @ weights["encoder.weight"].T + weights["encoder.bias"]
        code = torch.cat([hidden.round(), torch.ones(64, 1)], dim=1).double()
        best = code @ torch.linalg.pinv(code) @ data.targets.double()
        least = mse_loss(best, data.targets.double()).item()
        assert least > 4 * trace.detached.losses[-1]
        assert trace.attached.losses[-1] > least - 1e-5


@backs("straight_through.story", "With the detach the values are rounded")
def test_the_values_are_whole_numbers_forward() -> None:
    for seed in SEEDS:
        settings = DEFAULT.changed(seed=seed)
        rounded, kept = (
            script_of(s).step_with_detach(start_model(s), data_of(seed))[1]
            for s in (PLAIN.changed(seed=seed), settings)
        )
        assert torch.allclose(rounded, kept, atol=1e-5)


@backs("straight_through.story", "A network with whole numbers")
def test_with_round_alone_the_twins_are_the_same_and_their_encoders_get_zeros(
    traces: list[Trace], plain: list[Trace]
) -> None:
    for trace, rounded in zip(traces, plain, strict=True):
        assert rounded.attached.weights.tobytes() == rounded.detached.weights.tobytes()
        for run in rounded.runs:
            assert set(run.gradient_norms[run.layers.index("encoder")]) == {0.0}
            assert run.never_moved == ("encoder",)
            assert list(run.losses) == pytest.approx(list(trace.attached.losses[:10]), rel=1e-3)


def test_the_verdicts(traces: list[Trace], plain: list[Trace]) -> None:
    for trace in traces[:3]:
        found = judge(trace)
        assert found.kind == "learns something else"
        assert "`encoder` never moves. With it" in found.sentence
    assert {judge(trace).kind for trace in plain[:3]} == {"no difference"}
