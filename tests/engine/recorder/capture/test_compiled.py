"""Code under `torch.compile` runs eagerly while it is recorded, and every form of the report says so."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import StepRecord, record_step, recording


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enc, self.head = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.head(torch.tanh(self.enc(x)))
        return out


def a_module(net: nn.Module) -> Callable[[Tensor], Tensor]:
    made: Callable[[Tensor], Tensor] = torch.compile(net, backend="eager")
    return made


def a_function(net: nn.Module) -> Callable[[Tensor], Tensor]:
    @torch.compile(backend="eager")
    def run(x: Tensor) -> Tensor:
        out: Tensor = net(x)
        return out

    return run


def in_place(net: nn.Module) -> Callable[[Tensor], Tensor]:
    net.compile(backend="eager")
    return net


def of_torchs_own_layers(net: nn.Module) -> Callable[[Tensor], Tensor]:
    assert isinstance(net, Net)
    made: Callable[[Tensor], Tensor] = torch.compile(nn.Sequential(net.enc, net.head), backend="eager")
    return made


def refusing(net: nn.Module) -> Callable[[Tensor], Tensor]:
    def backend(graph: Any, inputs: Any) -> Any:
        raise ValueError("this compiler refuses")

    made: Callable[[Tensor], Tensor] = torch.compile(net, backend=backend)
    return made


FORMS = [a_module, a_function, in_place, of_torchs_own_layers, refusing]


def says_so(report: StepRecord) -> bool:
    said = [note for note in report.notes if "torch.compile" in note and "eagerly" in note]
    return len(said) == 1 and "exception" in said[0] and "graph break" in said[0]


def both(step: Callable[[], Tensor], net: nn.Module) -> list[StepRecord]:
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    with recording(names={"net": net}, optimizer=optimizer) as recorded:
        step().backward()
    return [record_step(step, names={"net": net}, optimizer=optimizer), recorded.report]


@pytest.mark.parametrize("compiled", FORMS)
def test_compiled_code_that_ran_eagerly_is_told(
    compiled: Callable[[nn.Module], Callable[[Tensor], Tensor]],
) -> None:
    net, x = Net(), torch.randn(4, 3)
    fast = compiled(net)
    for report in both(lambda: fast(x).pow(2).mean(), net):
        assert report.ok, report.verdict
        assert says_so(report)
        assert "torch.compile" in report.verdict
        assert "torch.compile" in report._repr_html_()


@pytest.mark.parametrize("compiled", FORMS)
def test_it_is_told_beside_a_fault_and_beside_an_exception(
    compiled: Callable[[nn.Module], Callable[[Tensor], Tensor]],
) -> None:
    net, x = Net(), torch.randn(4, 3)
    fast = compiled(net)

    def wrong() -> Tensor:
        return fast(x).detach().sum()

    def raising() -> Tensor:
        raise ValueError(f"no {fast(x).shape}")

    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for step in (wrong, raising):
        report = record_step(step, names={"net": net}, optimizer=optimizer)
        assert not report.ok
        assert says_so(report)
        assert "Note: Code under" in str(report)
        assert "Note: Code under" in report._repr_html_()


def test_compiled_code_that_did_not_run_is_not_told() -> None:
    net, x = Net(), torch.randn(4, 3)
    unused = a_module(net)
    assert unused is not net
    plain = Net()
    for report in both(lambda: plain(x).pow(2).mean(), plain):
        assert not says_so(report)
    fast = a_module(plain)
    recorded = recording(names={"net": plain})
    for turn in range(2):
        with recorded:
            (fast if turn == 0 else plain)(x).sum().backward()
        assert says_so(recorded.report) == (turn == 0)
