"""What a recording is asked for wrongly is refused in one sentence, by every way that leads to one."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine import record
from engine.recorder import record_step, recording
from engine.testing import assert_gradients_flow

net = nn.Linear(2, 1)
sgd = torch.optim.SGD(net.parameters(), 0.1)


def step() -> Tensor:
    loss: Tensor = net(torch.ones(3, 2)).sum()
    return loss


def in_a_block(**options: Any) -> None:
    with recording(**options):
        step().backward()


WAYS: list[Callable[..., object]] = [
    lambda **options: record(step, **options),
    lambda **options: record_step(step, **options),
    lambda **options: assert_gradients_flow(step, **options),
    in_a_block,
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("given", "got"),
    [
        (net, "Linear"),
        (nn.Sequential(net), "Sequential"),
        ([sgd, net], "Linear"),
        ([*net.parameters()], "Parameter"),
        (torch.optim.SGD, "the class SGD"),
        (0.1, "float"),
    ],
)
def test_what_is_no_optimizer_is_refused(way: Callable[..., object], given: object, got: str) -> None:
    with pytest.raises(TypeError) as refused:
        way(optimizer=given)
    assert str(refused.value) == f"optimizer: got {got}, expected a torch.optim.Optimizer or a list of them."


@pytest.mark.parametrize("way", WAYS)
def test_a_constant_that_nothing_is_called_is_refused(way: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match=r"expect_constant: there is no parameter 'netx'; there are .*\."):
        way(expect_constant=["netx"], names={"net": net})
    with pytest.raises(ValueError, match=r"no parameter 'net\.wieght'; there are net\.weight, net\.bias\."):
        way(expect_constant=["net.bias", "net.wieght"], names={"net": net})
    with pytest.raises(TypeError, match="expect_constant: got 'net', expected a list of names"):
        way(expect_constant="net", names={"net": net})


def test_what_is_no_parameter_may_be_constant_too() -> None:
    names = {"net": net, "target": torch.ones(3), "act": nn.ReLU()}
    assert record_step(step, names=names, expect_constant=["target", "act"]).ok


def test_many_known_names_are_counted() -> None:
    nets = nn.ModuleList(nn.Linear(1, 1) for _ in range(50))
    with pytest.raises(ValueError, match=r"there are nets\.0\.weight, .* and 92 more\."):
        record_step(step, names={"nets": nets}, expect_constant=["x"])


def test_a_constant_may_be_made_in_the_block() -> None:
    with recording(expect_constant=["late", "net"]) as recorded:
        late = torch.ones(2, requires_grad=True)
        net(late.detach()).sum().backward()
    assert [f.names for f in recorded.report.findings] == [("net.bias", "net.weight")]

    def never_made() -> None:
        with recording(expect_constant=["later.weight"]):
            later = nn.ReLU()
            later(net(torch.ones(2))).sum().backward()

    with pytest.raises(ValueError, match=r"no parameter 'later\.weight'"):
        never_made()


def test_what_a_block_raises_is_not_hidden_by_a_wrong_name() -> None:
    def breaks() -> None:
        with recording(expect_constant=["unborn"]):
            unborn = 1 / 0
            print(unborn)

    with pytest.raises(ZeroDivisionError):
        breaks()


async def waits() -> None: ...


async def streams() -> AsyncIterator[int]:
    yield 1


def gives() -> Iterator[int]:
    yield 1


@pytest.mark.parametrize("wrong", [waits, streams, gives])
def test_a_step_that_a_call_does_not_run_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match="not a plain function that returns the loss"):
        record_step(wrong)
