"""Steps that make their update themselves: by gradients that they set, took, used and cleared, in their own way."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import record_step, recording
from tests.engine.recorder.packages import installed

ESTIMATOR = """
    import torch

    class Momentum(torch.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {})

        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.data.add_(p.grad.data, alpha=-0.1)

    def zero_grads(tensors):
        for p in tensors:
            if p.grad is not None:
                p.grad = torch.zeros_like(p.grad)

    def step(loss_of, params, optimizer):
        loss = loss_of()
        loss.backward()
        optimizer.step()
        zero_grads(params)
        return loss.item()

    def step_too_late(loss_of, params, optimizer):
        loss = loss_of()
        loss.backward()
        zero_grads(params)
        optimizer.step()
        return loss.item()

    def update(params):
        for p in params:
            p.data.sub_(0.1 * p.grad)
            p.grad.zero_()
"""


def line() -> tuple[nn.Linear, Tensor]:
    torch.manual_seed(0)
    return nn.Linear(4, 1), torch.randn(8, 4)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "Momentum"])
def test_a_package_that_clears_after_its_step_is_right(
    optimizer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package: Any = installed("an_estimator", ESTIMATOR, tmp_path, monkeypatch)
    net, x = line()
    makers = {"SGD": lambda p: torch.optim.SGD(p, 0.1), "Adam": lambda p: torch.optim.Adam(p, 0.1)}
    made = makers.get(optimizer, package.Momentum)(net.parameters())
    names = {"net": net, "x": x, "optimizer": made}

    def loss_of() -> Tensor:
        loss: Tensor = net(x).pow(2).mean()
        return loss

    parameters = list(net.parameters())
    report = record_step(lambda: package.step(loss_of, parameters, made), names=names, calls=2)
    assert report.ok, report.verdict
    assert {p.state for p in report.parameters} == {"gradient"}
    assert all("used and then cleared" in p.reason for p in report.parameters)
    late = record_step(lambda: package.step_too_late(loss_of, parameters, made), names=names)
    assert [(f.kind, f.names) for f in late.findings] == [("zero_grad", ("net.weight", "net.bias"))]


def test_a_package_that_updates_by_itself_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package: Any = installed("an_estimator", ESTIMATOR, tmp_path, monkeypatch)
    net, x = line()
    with recording(names={"net": net, "x": x}) as recorded:
        loss = net(x).pow(2).mean()
        loss.backward()
        package.update(net.parameters())
    assert recorded.report.ok, recorded.report.verdict
    assert {p.state for p in recorded.report.parameters} == {"gradient"}


def test_clipping_is_no_use() -> None:
    net, x = line()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)

    def step() -> None:
        net(x).pow(2).mean().backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.zero_grad(set_to_none=False)
        optimizer.step()

    report = record_step(step, names={"net": net, "x": x, "optimizer": optimizer})
    assert [f.kind for f in report.findings] == ["zero_grad"]


@pytest.mark.parametrize("number", [True, False])
def test_a_step_that_sets_its_gradients_may_return_a_number(number: bool) -> None:
    net, x = line()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)

    def step() -> object:
        loss = net(x).pow(2).mean()
        for p, g in zip(net.parameters(), torch.autograd.grad(loss, list(net.parameters())), strict=True):
            p.grad = g
        optimizer.step()
        return loss.item() if number else None

    report = record_step(step, names={"net": net, "x": x, "optimizer": optimizer}, calls=2)
    assert report.ok, report.verdict
    assert report.raised is None
    assert (report.loss is not None) == number


def test_a_step_without_an_optimizer_may_return_a_number() -> None:
    weight, x = torch.ones(4, requires_grad=True), torch.ones(4)

    def step() -> float:
        loss = (weight * x).pow(2).sum()
        (gradient,) = torch.autograd.grad(loss, weight)
        weight.data.sub_(0.1 * gradient)
        return loss.item()

    report = record_step(step, names={"weight": weight, "x": x})
    assert report.ok, report.verdict
    assert report.loss == 4.0
    assert report.parameters[0].reason.startswith("Its gradient was computed by `autograd.grad`")


def test_a_step_that_did_nothing_is_still_refused() -> None:
    weight = torch.ones(4, requires_grad=True)
    report = record_step(lambda: float((weight * 2).sum()), names={"weight": weight})
    assert report.raised is not None
    assert "returned no tensor" in report.raised.message


def test_each_of_several_losses_is_told() -> None:
    one, two, x = nn.Linear(2, 1), nn.Linear(2, 1), torch.ones(1, 2)
    for net, value in ((one, 2.0), (two, 3.0)):
        nn.init.zeros_(net.weight)
        nn.init.constant_(net.bias, value)
    optimizer = torch.optim.SGD([*one.parameters(), *two.parameters()], 0.1)

    def step() -> None:
        one(x).pow(2).sum().backward()
        two(x).pow(2).sum().backward()
        optimizer.step()

    report = record_step(step, names={"one": one, "two": two, "optimizer": optimizer})
    assert report.loss is None
    assert [run.loss for run in report.backwards] == [4.0, 9.0]
    first = step.__code__.co_firstlineno
    assert f"backpropagated: 4 (line {first + 1}), 9 (line {first + 2})" in str(report)
    plain = report.to_dict()
    assert [run["loss"] for run in plain["backwards"]] == [4.0, 9.0]  # type: ignore[attr-defined]


def test_one_loss_of_several_that_is_not_finite_is_found() -> None:
    net, x = line()

    def step() -> None:
        (net(x).mean() * torch.inf).backward()
        net(x).pow(2).mean().backward()

    report = record_step(step, names={"net": net})
    assert [f.kind for f in report.findings] == ["non_finite"]
    assert report.findings[0].location is not None
    assert report.findings[0].location.line == step.__code__.co_firstlineno + 1
