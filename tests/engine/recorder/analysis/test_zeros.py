"""Zeros that one step of training ends are told apart from those that stay, each by its own cause."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import StepRecord, record_step


class Adapter(nn.Module):
    """A low-rank adapter whose second factor starts at zeros."""

    def __init__(self) -> None:
        super().__init__()
        self.down, self.up = nn.Linear(4, 2, bias=False), nn.Linear(2, 4, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Tensor) -> Tensor:
        made: Tensor = x + self.up(self.down(x))
        return made


class Twice(torch.autograd.Function):
    """A linear layer as a custom Function; the wrong one sends no zeros on by itself, but by its code."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, right: bool) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.right = right
        return x @ weight.t()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        (gradient,), (x, weight) = gradients, ctx.saved_tensors
        return gradient @ weight * ctx.right, gradient.t() @ x, None


def recorded(
    net: nn.Module, out: nn.Module, trained: list[nn.Module], shape: tuple[int, ...] = (8, 4)
) -> StepRecord:
    torch.manual_seed(0)
    optimizer = torch.optim.SGD([p for module in trained for p in module.parameters()], 0.1)
    x = torch.randn(shape)

    def step() -> Tensor:
        loss: Tensor = (out(net(x)) - 1).pow(2).mean()
        return loss

    return record_step(step, names={"net": net, "out": out, "optimizer": optimizer})


def states(report: StepRecord) -> dict[str, str]:
    return {p.name: p.state for p in report.parameters}


def test_a_norm_over_one_feature_stays_at_zero() -> None:
    net, out = nn.Sequential(nn.Linear(4, 1), nn.LayerNorm(1)), nn.Linear(1, 1)
    report = recorded(net, out, [net, out])
    assert [(f.kind, f.names) for f in report.findings] == [("zero_op", ("net.0.weight", "net.0.bias"))]


@pytest.mark.parametrize("norm", [nn.LayerNorm(4), nn.BatchNorm1d(4), nn.GroupNorm(2, 4), nn.RMSNorm(4)])
@pytest.mark.parametrize("trained", [True, False])
def test_a_scale_of_zeros_is_harmless_only_where_it_is_trained(norm: nn.Module, trained: bool) -> None:
    first, out = nn.Linear(4, 4), nn.Linear(4, 1)
    nn.init.zeros_(norm.weight)  # type: ignore[arg-type]
    report = recorded(nn.Sequential(first, norm), out, [first, out, *([norm] if trained else [])])
    assert states(report)["net.0.weight"] == "zero"
    assert report.ok == trained, report.verdict
    if not trained:
        assert report.findings[0].names == ("net.0.weight", "net.0.bias")
        assert "its scale, `net.1.weight`, is all zeros" in report.findings[0].text


def test_each_adapter_has_its_own_cause() -> None:
    one, other, out = Adapter(), Adapter(), nn.Linear(4, 1)
    report = recorded(
        nn.Sequential(one, other), out, [one.down, other, out]
    )  # one's second factor never moves
    reasons = {p.name: p.reason for p in report.parameters}
    assert "`net.0.up.weight`, is all zeros." in reasons["net.0.down.weight"]
    assert "`net.1.up.weight`, is all zeros before its first step." in reasons["net.1.down.weight"]
    assert [f.names for f in report.findings if f.kind == "zero_op"] == [("net.0.down.weight",)]


def test_a_weight_norm_whose_size_starts_at_zero_is_harmless() -> None:
    net, out = nn.utils.parametrizations.weight_norm(nn.Linear(4, 4)), nn.Linear(4, 1)
    nn.init.zeros_(net.parametrizations.weight.original0)
    report = recorded(net, out, [net, out])
    assert "zero" in states(report).values()
    assert report.ok, report.verdict


@pytest.mark.parametrize("right", [True, False])
def test_a_custom_function_is_to_blame_only_for_its_own_zeros(right: bool) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(4, 4)
            self.weight = nn.Parameter(torch.zeros(4, 4) if right else torch.ones(4, 4))

        def forward(self, x: Tensor) -> Tensor:
            made: Tensor = Twice.apply(self.first(x), self.weight, right)  # type: ignore[no-untyped-call]
            return made

    net, out = Net(), nn.Linear(4, 1)
    report = recorded(net, out, [net, out])
    assert states(report)["net.first.weight"] == "zero"
    assert report.ok == right, report.verdict
    assert [f.kind for f in report.findings] == ([] if right else ["custom_function"])
