"""What an optimizer calls back is the step's own; what it computes itself is the optimizer's."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import StepRecord, record_step, recording
from tests.engine.recorder.packages import installed

TRAINER = """
    import functools
    import torch

    class Closure:
        def __init__(self, net, head, optimizer, x, cut):
            self.net, self.head, self.optimizer, self.x, self.cut = net, head, optimizer, x, cut

        def __call__(self):
            self.optimizer.zero_grad()
            features = self.net(self.x)
            loss = self.head(features.detach() if self.cut else features).pow(2).mean() / 2
            loss.backward()
            return loss

        def once(self, scale):
            return self() * scale

    def as_a_function(closure):
        def run():
            return closure()
        return run

    FORMS = {
        "an object": lambda closure: closure,
        "a function": as_a_function,
        "a method": lambda closure: closure.__call__,
        "a partial": lambda closure: functools.partial(closure.once, 1.0),
    }

    class Descent(torch.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @torch.no_grad()
        def step(self, closure=None):
            with torch.enable_grad():
                loss = closure()
            for group in self.param_groups:
                for p in group["params"]:
                    move(p, group["lr"])
            return loss

    def move(p, lr):
        if p.grad is not None:
            p.add_(p.grad.detach(), alpha=-lr)

    def fit(form, net, head, optimizer, x, cut):
        optimizer.step(FORMS[form](Closure(net, head, optimizer, x, cut)))
"""
FORMS = ("an object", "a function", "a method", "a partial")
Make = Callable[[list[Tensor]], torch.optim.Optimizer]
OPTIMIZERS: dict[str, Make] = {
    "adam": lambda parameters: torch.optim.Adam(parameters, 0.1),
    "sgd": lambda parameters: torch.optim.SGD(parameters, 0.1, momentum=0.9),
    "lbfgs": lambda parameters: torch.optim.LBFGS(parameters, 0.1, max_iter=4),
    "lbfgs with a line search": lambda parameters: torch.optim.LBFGS(
        parameters, max_iter=4, line_search_fn="strong_wolfe"
    ),
}
every_optimizer = pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())


def nets() -> tuple[nn.Module, nn.Module, Tensor]:
    torch.manual_seed(0)
    return nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(6, 3)


def check(report: StepRecord, cut: bool) -> None:
    states = {p.name.partition(".")[0]: p.state for p in report.parameters if "." in p.name}
    assert states == {"net": "none" if cut else "gradient", "head": "gradient"}
    assert report.ok == (not cut), report.verdict
    assert [f.kind for f in report.findings] == (["detach"] if cut else [])
    if cut:
        assert report.findings[0].names == ("net.weight", "net.bias")
    operations = [stage.operation for stage in report.stages]
    assert operations.count("linear") % 2 == 0
    assert set(operations) <= {
        "input",
        "linear",
        "detach",
        "pow",
        "mean",
        "div",
        "mul",
        "__truediv__",
        "__mul__",
    }


@every_optimizer
@pytest.mark.parametrize("cut", [False, True])
def test_the_readers_closure_is_the_steps_own(make: Make, cut: bool) -> None:
    net, head, x = nets()
    optimizer = make([*net.parameters(), *head.parameters()])

    def closure() -> Tensor:
        optimizer.zero_grad()
        features = net(x)
        loss: Tensor = head(features.detach() if cut else features).pow(2).mean()
        loss.backward()
        return loss

    def step() -> None:
        optimizer.step(closure)  # type: ignore[arg-type]

    names = {"net": net, "head": head, "x": x, "optimizer": optimizer}
    check(record_step(step, names=names), cut)
    with recording(names=names) as recorded:
        optimizer.step(closure)  # type: ignore[arg-type]
    check(recorded.report, cut)


@every_optimizer
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cut", [False, True])
def test_a_packages_closure_is_the_steps_own(
    form: str, make: Make, cut: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer: Any = installed("a_trainer", TRAINER, tmp_path, monkeypatch)
    net, head, x = nets()
    optimizer = make([*net.parameters(), *head.parameters()])
    names = {"net": net, "head": head, "x": x, "optimizer": optimizer}
    with recording(names=names) as recorded:
        trainer.fit(form, net, head, optimizer, x, cut)
    check(recorded.report, cut)
    location = recorded.report.stages[-1].location
    assert location is not None
    assert location.text == "trainer.fit(form, net, head, optimizer, x, cut)"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cut", [False, True])
def test_an_optimizer_of_a_package_moves_what_it_holds_by_itself(
    form: str, cut: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer: Any = installed("a_trainer", TRAINER, tmp_path, monkeypatch)
    net, head, x = nets()
    optimizer = trainer.Descent([*net.parameters(), *head.parameters()], 0.1)
    names = {"net": net, "head": head, "x": x, "optimizer": optimizer}
    with recording(names=names) as recorded:
        trainer.fit(form, net, head, optimizer, x, cut)
    check(recorded.report, cut)
    with recording(names=names) as recorded:  # cleared after the move: no gradient was thrown away
        trainer.fit(form, net, head, optimizer, x, cut)
        optimizer.zero_grad()
    check(recorded.report, cut)


def test_an_averaged_models_forward_is_the_steps_own() -> None:
    net, head, x = nets()
    averaged = torch.optim.swa_utils.AveragedModel(net)
    optimizer = torch.optim.SGD([*averaged.parameters(), *head.parameters()], 0.1)
    report = record_step(
        lambda: head(averaged(x).detach()).pow(2).mean(),
        names={"averaged": averaged, "head": head, "x": x, "optimizer": optimizer},
    )
    assert [f.kind for f in report.findings] == ["detach"]
    assert report.findings[0].names == ("averaged.module.weight", "averaged.module.bias")
