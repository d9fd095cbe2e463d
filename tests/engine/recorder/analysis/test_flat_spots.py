"""Operations that have a derivative and none where they were called, each with what is said of it."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.recorder.analysis.cause import Cause
from tests.engine.recorder.analysed import analysis_of, loss_of


def cause_of(step: Callable[[], object], name: str, **names: object) -> Cause | None:
    """The cause of the zeros that a step brings to the parameter of that name."""
    analysis = analysis_of(step, names)
    assert analysis.states[name] == "zero"
    (cause,) = [zero.cause for zero in analysis.zeros if name in zero.starved]
    return cause


def cause_between(operation: Callable[[Tensor], Tensor]) -> Cause | None:
    """The same for an operation between two layers."""
    net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(5, 3)
    return cause_of(lambda: loss_of(head(operation(net(x)))), "net.weight", net=net, head=head)


def cause_at_the_end(loss: Callable[[Tensor], Tensor]) -> Cause | None:
    """The same for the loss itself, of an output of two columns."""
    net, x = nn.Linear(3, 2), torch.ones(5, 3)
    return cause_of(lambda: loss(net(x)), "net.weight", net=net)


@pytest.mark.parametrize(
    ("operation", "why", "advice"),
    [
        (
            lambda h: torch.sigmoid(h + 999),
            "every input of this `sigmoid` lies in its flat region",
            "closer to zero",
        ),
        (
            lambda h: torch.softmax(h * 0 + torch.tensor([999.0, 0, 0, 0]), 1),
            "every input of this `softmax` lies in its flat region",
            "temperature",
        ),
        (
            lambda h: F.layer_norm(h[:, :1], (1,)) + h.detach(),
            "a `layer_norm` over one entry",
            "more than one",
        ),
        (lambda h: h.copy_(torch.ones(5, 4)), "this `copy_` overwrites every element", "part of them"),
        (lambda h: F.dropout(h, 1.0), "this `dropout` dropped every element", "Lower `p`"),
    ],
    ids=["sigmoid", "softmax", "layer_norm", "copy_", "dropout"],
)
def test_between_layers(operation: Callable[[Tensor], Tensor], why: str, advice: str) -> None:
    cause = cause_between(operation)
    assert cause is not None
    assert cause.why.startswith(why)
    assert advice in cause.advice


@pytest.mark.parametrize(
    ("loss", "why", "advice"),
    [
        (
            lambda out: F.mse_loss(out, out.detach()),
            "this `mse_loss` is at its minimum",
            "the prediction itself",
        ),
        (
            lambda out: F.cross_entropy(out, torch.full((5,), -100), reduction="sum"),
            "no target of this `cross_entropy` gives a gradient",
            "`ignore_index`",
        ),
        (
            lambda out: F.margin_ranking_loss(out[:, 0] + 99, out[:, 1], torch.ones(5)),
            "every example satisfies the margin",
            "harder examples",
        ),
        (lambda out: torch.relu(out - 99).sum(), "every unit of this `relu` is off", "a margin"),
        (lambda out: (out - 99).clamp(min=0).sum(), "every element is outside the range", "a margin"),
    ],
    ids=["mse_loss", "cross_entropy", "margin_ranking_loss", "relu", "clamp"],
)
def test_in_the_loss(loss: Callable[[Tensor], Tensor], why: str, advice: str) -> None:
    cause = cause_at_the_end(loss)
    assert cause is not None
    assert cause.why.startswith(why)
    assert advice in cause.advice


def test_a_grid_outside_of_the_image() -> None:
    net, image = nn.Linear(3, 8), torch.ones(1, 1, 4, 4)

    def step() -> Tensor:
        grid = net(torch.ones(3)).reshape(1, 2, 2, 2) + 99
        return F.grid_sample(image, grid, align_corners=False).sum()

    cause = cause_of(step, "net.weight", net=net)
    assert cause is not None
    assert cause.why == "this `grid_sample` does not change with the grid here"


def test_a_parameter_outside_of_its_own_bounds_stays_there() -> None:
    scale, other, x = nn.Parameter(torch.full((3,), -2.0)), nn.Parameter(torch.ones(3)), torch.ones(5, 3)
    told = cause_of(lambda: loss_of(x * other + scale.clamp(min=0)), "scale", other=other, scale=scale)
    assert told is not None
    assert told.why == "`scale` lies outside the range of this `clamp`"
    computed = lambda: loss_of(x * other + (2 * scale.tanh()).clamp(min=0))  # noqa: E731
    told = cause_of(computed, "scale", other=other, scale=scale)
    assert told is not None
    assert told.why == "`scale` lies outside the range of this `clamp`"
    with_data = lambda: loss_of(x * other + (x * scale).clamp(min=0))  # noqa: E731
    told = cause_of(with_data, "scale", other=other, scale=scale)
    assert told is not None
    assert "lies outside" not in told.why


@pytest.mark.parametrize("power", [torch.square, lambda h: h**2, lambda h: h * h, torch.abs])
@pytest.mark.parametrize("of", [lambda gain: gain, lambda gain: gain * torch.ones(5, 3)])
@pytest.mark.parametrize("start", [0.0, 1.0])
def test_a_slope_is_zero_at_zero(
    power: Callable[[Tensor], Tensor], of: Callable[[Tensor], Tensor], start: float
) -> None:
    gain, other = nn.Parameter(torch.full((3,), start)), nn.Parameter(torch.ones(3))
    step = lambda: other.sum() + power(of(gain)).sum()  # noqa: E731
    analysis = analysis_of(step, {"gain": gain, "other": other})
    assert analysis.states["gain"] == ("gradient" if start else "zero")
    whys = [zero.cause.why for zero in analysis.zeros if zero.cause is not None]
    assert len(whys) == (0 if start else 1)
    assert all(why.endswith("is all zeros, where its slope is zero") for why in whys)


def test_a_slope_of_zeros_at_other_places_is_another_matter() -> None:
    gain, signs = nn.Parameter(torch.ones(4)), torch.tensor([[1.0], [-1.0]])
    step = lambda: ((gain * torch.ones(2, 4)).square() * signs).sum()  # noqa: E731
    assert cause_of(step, "gain", gain=gain) is None


def test_a_factor_of_zeros_is_not_taken_for_a_slope() -> None:
    one, x = nn.Parameter(torch.zeros(3)), torch.zeros(5, 3)
    cause = cause_of(lambda: (one * x).sum(), "one", one=one)
    assert cause is not None
    assert cause.why == "the other factor, `x`, is all zeros"


@pytest.mark.parametrize("layer", [nn.Embedding(4, 2, padding_idx=1), nn.EmbeddingBag(4, 2, padding_idx=1)])
def test_padding_alone_brings_nothing(layer: nn.Module) -> None:
    scale = nn.Parameter(torch.ones(2))
    indices = torch.ones(3, 2, dtype=torch.long)
    cause = cause_of(lambda: (layer(indices) + scale).sum(), "layer.weight", layer=layer, scale=scale)
    assert cause is not None
    assert cause.why == "every index is 1, the row of `padding_idx`, which gets no gradient"


@pytest.mark.parametrize("indices", [[1, 2, 1, 2], [2, 1, 2, 1]])
def test_rows_that_add_up_to_zero_are_no_padding(indices: list[int]) -> None:
    layer, signs = nn.Embedding(4, 2, padding_idx=indices[0]), torch.tensor([[1.0], [1.0], [-1.0], [-1.0]])
    step = lambda: (layer(torch.tensor(indices)) * signs).sum()  # noqa: E731
    assert cause_of(step, "layer.weight", layer=layer) is None


def test_one_row_that_adds_up_to_zero_is_no_padding() -> None:
    layer, signs = nn.Embedding(4, 2, padding_idx=0), torch.tensor([[1.0], [-1.0]])
    step = lambda: (layer(torch.tensor([1, 1])) * signs).sum()  # noqa: E731
    assert cause_of(step, "layer.weight", layer=layer) is None
