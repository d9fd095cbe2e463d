"""Why an operation sent zeros back, with the advice that fits."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from engine.recorder.analysis.cause import Cause
from tests.engine.recorder.analysed import analysis_of, loss_of

Between = Callable[[Tensor], Tensor]


def cause_after(operation: Between) -> Cause | None:
    """The cause of the zeros that an operation between two layers sends back."""
    net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(5, 3)
    analysis = analysis_of(lambda: loss_of(head(operation(net(x)))), {"net": net, "head": head, "x": x})
    (cause,) = [zero.cause for zero in analysis.zeros if zero.starved == ("net.weight", "net.bias")]
    return cause


@pytest.mark.parametrize(
    ("operation", "why", "advice"),
    [
        (lambda h: torch.relu(h - 9), "every unit of this `relu` is off", "leaky_relu"),
        (lambda h: (h - 9).clamp_min(0), "every unit of this `clamp_min` is off", "leaky_relu"),
        (lambda h: (h + 9).clamp(0, 1), "every element is outside the range of this `clamp`", "`tanh`"),
        (
            lambda h: nn.functional.hardtanh(h + 9),
            "every element is outside the range of this `hardtanh`",
            "`tanh`",
        ),
        (lambda h: torch.where(h > 9, h, 1.0), "`where` took every element from elsewhere", "--calls 5"),
        (lambda h: h.masked_fill(h < 9, 0.0), "`masked_fill` took every element from elsewhere", "--calls 5"),
        (
            lambda h: torch.maximum(h, torch.full((4,), 9.0)),
            "`maximum` took every element from elsewhere",
            "condition",
        ),
        (lambda h: h.unsqueeze(0).softmax(0)[0], "a `softmax` over one entry is a constant", "`dim`"),
        (lambda h: h * torch.zeros(4), "the other factor is all zeros", "a mask"),
        (lambda h: h @ torch.zeros(4, 4), "the other factor is all zeros", "a mask"),
    ],
    ids=[
        "relu",
        "clamp_min",
        "clamp",
        "hardtanh",
        "where",
        "masked_fill",
        "maximum",
        "softmax",
        "mul",
        "matmul",
    ],
)
def test_each_cause_has_its_reason_and_its_advice(operation: Between, why: str, advice: str) -> None:
    cause = cause_after(operation)
    assert cause is not None
    assert cause.why == why
    assert advice in cause.advice
    assert (cause.passes, cause.after) == (False, False)


@pytest.mark.parametrize(
    "operation",
    [torch.sign, torch.round, lambda h: (0 * h).softmax(0).sign()],
    ids=["sign", "round", "softmax"],
)
def test_of_other_operations_no_more_is_known(operation: Between) -> None:
    assert cause_after(operation) is None


@pytest.mark.parametrize("size", [4, 4000])
@pytest.mark.parametrize("rest", [0.0, 1.0, -1.0])
def test_a_factor_is_all_zeros_only_where_every_element_is(size: int, rest: float) -> None:
    weight, factor = nn.Parameter(torch.ones(size)), torch.zeros(size)
    factor[0] = rest
    analysis = analysis_of(lambda: (weight * (factor * 1))[1:].sum(), {"weight": weight})
    (zero,) = analysis.zeros
    assert (zero.cause is not None) == (rest == 0)
    assert zero.cause is None or zero.cause.why.startswith("the other factor")


def test_a_factor_that_is_zero_before_its_first_step_is_no_harm() -> None:
    net, gain, x = nn.Linear(3, 4), nn.Parameter(torch.zeros(1)), torch.ones(5, 3)
    (zero,) = analysis_of(lambda: (1 + gain * net(x)).pow(2).mean(), {"net": net, "gain": gain}).zeros
    assert zero.harmless
    assert zero.cause is not None
    assert zero.cause.why == "the other factor, `gain`, is all zeros before its first step"
    assert zero.cause.passes


def test_two_factors_of_zero_never_move() -> None:
    one, two = nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(3))
    analysis = analysis_of(lambda: (one * two).sum(), {"one": one, "two": two})
    told = {zero.starved: (zero.harmless, zero.cause.advice if zero.cause else "") for zero in analysis.zeros}
    advice = "Initialise one of the two to other values: with both at zero, neither ever learns."
    assert {advice for _, advice in told.values()} == {advice}
    assert not any(harmless for harmless, _ in told.values())
    assert {name for starved in told for name in starved} == {"one", "two"}


def test_a_gradient_that_is_changed_afterwards_is_told_with_the_line_that_did() -> None:
    net, x = nn.Linear(3, 1), torch.ones(5, 3)

    def wiped() -> Tensor:
        loss = loss_of(net(x))
        loss.backward()
        for parameter in net.parameters():
            parameter.grad.mul_(0)  # type: ignore[union-attr]
        return loss

    (zero,) = analysis_of(wiped, {"net": net}).zeros
    assert zero.cause is not None
    assert zero.cause.after
    assert "its `.grad` was changed to zeros here" in zero.cause.why
    assert zero.line is not None
    assert "max_norm" in zero.cause.advice


def test_a_hook_on_a_parameter_is_told_as_that() -> None:
    net, x = nn.Linear(3, 1), torch.ones(5, 3)
    net.weight.register_hook(lambda gradient: gradient * 0)
    (zero,) = analysis_of(lambda: loss_of(net(x)), {"net": net}).zeros
    assert zero.starved == ("net.weight",)
    assert zero.cause is not None
    assert zero.cause.why == "a hook on it replaces the gradient by zeros"
    assert "Return the gradient from the hook" in zero.cause.advice
