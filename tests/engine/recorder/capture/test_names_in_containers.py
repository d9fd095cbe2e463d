"""What a tensor is called that only a container of the reader's holds."""

from dataclasses import dataclass, field

import pytest
import torch
from torch import Tensor

from engine.recorder import record_step
from engine.recorder.capture.names import held_by


@dataclass
class Model:
    weight: Tensor = field(default_factory=lambda: torch.randn(2, requires_grad=True))


@pytest.mark.parametrize(
    ("held", "name"),
    [
        ({"weight": torch.randn(2, requires_grad=True)}, "held['weight']"),
        ([torch.randn(2, requires_grad=True)], "held[0]"),
        ({"layers": [{"w": torch.randn(2, requires_grad=True)}]}, "held['layers'][0]['w']"),
        (Model(), "held.weight"),
    ],
)
def test_a_leaf_is_called_by_the_path_of_its_container(held: object, name: str) -> None:
    ((path, leaf),) = held_by("held", held)
    assert path == name
    assert isinstance(leaf, Tensor)
    optimizer = torch.optim.SGD([leaf], 0.1)
    record = record_step(
        lambda: (leaf * 2).sum(), names={"held": held, "optimizer": optimizer}, optimizer=optimizer
    )
    assert [(p.name, p.state, p.in_optimizer) for p in record.parameters] == [(name, "gradient", True)]
    assert record.ok


def test_data_and_results_in_a_container_are_no_leaves() -> None:
    weight = torch.randn(2, requires_grad=True)
    assert list(held_by("held", {"x": torch.ones(2), "h": weight * 2, "n": 3})) == []


def test_a_variable_s_own_name_goes_before_the_container_s() -> None:
    weight = torch.randn(2, requires_grad=True)
    record = record_step(lambda: weight.sum(), names={"held": {"w": weight}, "weight": weight})
    assert [p.name for p in record.parameters] == ["weight"]
