"""The names that a step leads to when none are given: its closure, its object, its module, through its helpers."""

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor, nn

from engine.recorder import record_step
from engine.recorder.capture.names import read_names, variables_of

module_net = nn.Linear(3, 1)
module_x = torch.ones(4, 3)


def helper_of_the_module() -> Tensor:
    out: Tensor = module_net(module_x)
    return out


def through_a_helper() -> Tensor:
    return helper_of_the_module().sum()


class Trainer:
    def __init__(self) -> None:
        self.net, self.x = nn.Linear(3, 1), torch.ones(4, 3)

    def step(self) -> Tensor:
        loss: Tensor = self.net(self.x).sum()
        return loss

    __call__ = step


def test_a_closure_names_what_it_holds_also_through_its_helper() -> None:
    net, x = nn.Linear(3, 1), torch.ones(4, 3)

    def helper() -> Tensor:
        out: Tensor = net(x)
        return out

    def step() -> Tensor:
        return helper().sum()

    assert variables_of(step) == {"net": net, "x": x}
    record = record_step(step, optimizer=torch.optim.SGD(net.parameters(), 0.1))
    assert {p.name: p.state for p in record.parameters} == {"net.weight": "gradient", "net.bias": "gradient"}
    assert [stage.output.name for stage in record.stages if stage.operation == "input"] == ["x"]


def test_a_modules_variables_are_found_through_its_helper_and_inside_a_lambda() -> None:
    assert variables_of(through_a_helper) == {"module_net": module_net, "module_x": module_x}
    assert variables_of(lambda: sum(module_net(module_x).sum() for _ in range(2))) == {
        "module_net": module_net,
        "module_x": module_x,
    }


@pytest.mark.parametrize("of", [lambda trainer: trainer.step, lambda trainer: trainer])
def test_an_objects_attributes_are_named_after_self(of: Callable[[Trainer], Callable[[], Tensor]]) -> None:
    trainer = Trainer()
    assert variables_of(of(trainer)) == {"self": trainer, "self.net": trainer.net, "self.x": trainer.x}
    record = record_step(of(trainer))
    assert [p.name for p in record.parameters] == ["self.net.weight", "self.net.bias"]


def test_a_wrapped_step_names_what_the_inner_one_uses() -> None:
    assert variables_of(torch.no_grad()(through_a_helper)).keys() >= {"module_net", "module_x"}


def test_a_variable_without_a_value_has_no_name() -> None:
    def step() -> Tensor:
        return later.sum()

    assert variables_of(step) == {}
    later = module_x
    assert variables_of(step) == {"later": later}


def names_within(net: nn.Module) -> Iterator[tuple[object, list[str]]]:
    yield {"nets": {"a": net}}, ["nets['a'].weight", "nets['a'].bias"]
    yield {"nets": [net]}, ["nets[0].weight", "nets[0].bias"]
    yield {"deep": [{"b": (net,)}]}, ["deep[0]['b'][0].weight", "deep[0]['b'][0].bias"]
    yield {"": net}, ["weight", "bias"]
    leaf = torch.ones(3, requires_grad=True)
    yield {"params": {"w": leaf, "data": torch.ones(3), "twice": leaf * 2}}, ["params['w']"]
    yield {"kept": [nn.Parameter(torch.ones(3), requires_grad=False)]}, ["kept[0]"]
    yield {"net": net, "same": net}, ["net.weight", "net.bias", "same.weight", "same.bias"]


@pytest.mark.parametrize(("variables", "names"), list(names_within(nn.Linear(3, 1))))
def test_what_a_container_holds_is_named_by_its_path(variables: dict[str, object], names: list[str]) -> None:
    assert list(read_names(variables).parameters) == names
