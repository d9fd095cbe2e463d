"""Which operation made a gradient zeros or sent none on, whom that starves, and where it is no harm."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.recorder.analysis.analysis import Analysis
from tests.engine.recorder.analysed import analysis_of, code_at, loss_of

NET = ("net.weight", "net.bias")


class NoneBack(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, other: Tensor) -> Tensor:
        return values + other

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient, None


class ZerosBack(NoneBack):
    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        return gradient, torch.zeros_like(gradient)


def told(analysis: Analysis) -> list[tuple[str, str, tuple[str, ...], bool]]:
    return [(zero.kind, zero.operation, zero.starved, zero.harmless) for zero in analysis.zeros]


def after(operation: Callable[[Tensor], Tensor]) -> Analysis:
    """The analysis of a step with an operation between two layers; its input is well away from zero."""
    net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(5, 3)
    nn.init.ones_(net.weight)
    return analysis_of(lambda: loss_of(head(operation(net(x)))), {"net": net, "head": head, "x": x})


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        (torch.sign, "sign"),
        (torch.round, "round"),
        (lambda h: torch.relu(h - 9), "relu"),
        (lambda h: h.floor().tanh(), "floor"),
    ],
)
def test_the_operation_with_the_derivative_of_zero_is_found(
    operation: Callable[[Tensor], Tensor], name: str
) -> None:
    analysis = after(operation)
    (zero,) = [zero for zero in analysis.zeros if zero.starved == NET]
    assert (zero.kind, zero.operation, zero.harmless) == ("zero_op", name, False)
    assert zero.why() in (
        f"the derivative of `{name}` is zero here",
        f"every unit of this `{name}` is off",
    )


def test_of_two_such_operations_the_one_nearer_to_the_loss_is_named() -> None:
    analysis = after(lambda h: h.round().tanh().sign())
    assert told(analysis) == [("zero_op", "sign", NET, False)]


def test_two_paths_that_cancel_are_told_as_that() -> None:
    analysis = after(lambda h: h + (h.round() - h))
    assert [(kind, starved) for kind, _, starved, _ in told(analysis)] == [("cancel", NET)]
    assert analysis.zeros[0].why() == "the gradients of two paths cancel"


def test_a_function_that_returns_nothing_and_one_that_returns_zeros() -> None:
    other = nn.Parameter(torch.ones(4))
    x = torch.ones(5, 4, requires_grad=True)

    def step(function: type[NoneBack]) -> Analysis:
        other.grad = x.grad = None
        return analysis_of(lambda: loss_of(function.apply(x, other.expand(5, 4))), {"x": x, "other": other})  # type: ignore[no-untyped-call]

    nothing, zeros = step(NoneBack), step(ZerosBack)
    assert told(nothing) == [("custom_function", "NoneBack", ("other",), False)]
    assert nothing.zeros[0].why(nothing=True) == "the custom Function `NoneBack` returns no gradient"
    assert nothing.states == {"other": "none", "x": "gradient"}
    assert [(kind, starved) for kind, _, starved, _ in told(zeros)] == [("custom_function", ("other",))]
    assert zeros.states == {"other": "zero", "x": "gradient"}
    assert "returns zeros" in zeros.zeros[0].why()


def test_a_hook_that_puts_zeros_in_place_is_the_line_to_blame() -> None:
    net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(5, 3)

    def step() -> Tensor:
        hidden = net(x)
        hidden.register_hook(lambda gradient: gradient * 0)
        return loss_of(head(hidden))

    analysis = analysis_of(step, {"net": net, "head": head})
    (zero,) = analysis.zeros
    assert zero.starved == NET
    assert code_at(analysis, zero.line) == "hidden.register_hook(lambda gradient: gradient * 0)"
    assert "hook" in zero.why()


def test_a_gradient_that_adds_up_to_zero_harms_nobody_whose_sibling_moves() -> None:
    net, x = nn.Linear(1, 1), torch.tensor([[-1.0], [1.0]])
    sums_up = analysis_of(lambda: 3 * net(x).mean(), {"net": net})
    assert sums_up.states == {"net.weight": "zero", "net.bias": "gradient"}
    assert [(starved, harmless) for _, _, starved, harmless in told(sums_up)] == [(("net.weight",), True)]
    net.zero_grad()
    dead = analysis_of(lambda: net(0 * x).mean(), {"net": net})
    assert [(starved, harmless) for _, _, starved, harmless in told(dead)] == [(("net.weight",), False)]
    plain = nn.Parameter(torch.ones(1))
    alone = analysis_of(lambda: (plain * x).mean(), {"plain": plain})
    assert [(starved, harmless) for _, _, starved, harmless in told(alone)] == [(("plain",), False)]


def test_where_every_gradient_comes_nothing_is_found() -> None:
    assert told(after(torch.tanh)) == []
