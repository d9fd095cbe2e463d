"""Which parameters were forgotten when an optimizer was built, and which were left out on purpose."""

from collections.abc import Iterable

import pytest
import torch
from torch import Tensor, nn

from engine.recorder.analysis.left_out import LeftOut
from tests.engine.recorder.analysed import analysis_of, loss_of


class Net(nn.Module):
    """A body, its head and a scale of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = nn.Sequential(nn.Linear(3, 8), nn.Linear(8, 3)), nn.Linear(3, 1)
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.head(self.scale * self.body(x))
        return out


def left_out(net: nn.Module, held: Iterable[Tensor]) -> list[LeftOut]:
    """What is found where an optimizer was built of these before the recording began."""
    names = {"net": net, "optimizer": torch.optim.SGD(held, 0.1)}
    return list(analysis_of(lambda: loss_of(net(torch.ones(5, 3))), names).left_out)


@pytest.mark.parametrize(
    ("held", "names"),
    [
        ("", ()),
        ("scale", ("net.scale",)),
        ("body.1", ("net.body.1.weight", "net.body.1.bias")),
        ("head", ("net.head.weight", "net.head.bias")),
    ],
)
def test_the_smaller_part_was_forgotten(held: str, names: tuple[str, ...]) -> None:
    net = Net()
    found = left_out(net, [p for n, p in net.named_parameters() if not held or not n.startswith(held)])
    assert [one.names for one in found] == ([names] if names else [])
    for one in found:
        assert (one.where.optimizer, one.where.later, one.where.frozen) == ("optimizer", False, False)
        assert one.where.module == ("net.body" if held == "body.1" else "net")


@pytest.mark.parametrize("held", ["head", "body.1"])
def test_the_last_layers_alone_are_a_choice(held: str) -> None:
    net = Net()
    if held == "head":
        del net.scale
        net.register_buffer("scale", torch.ones(3))
        assert left_out(net, net.head.parameters()) == []
    else:
        assert left_out(net.body, net.body[1].parameters()) == []


def test_the_biases_of_all_layers_are_a_choice() -> None:
    net = Net().body
    assert left_out(net, [p for n, p in net.named_parameters() if n.endswith("bias")]) == []


def test_one_of_two_equal_halves_of_a_layer_is_judged_in_what_is_around_it() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4))
    (one,) = left_out(net, [p for n, p in net.named_parameters() if n != "1.bias"])
    assert one.names == ("net.1.bias",)
    assert one.where.module == "net"


def test_where_all_that_is_held_is_frozen_the_rest_is_left_out() -> None:
    net = Net()
    net.body.requires_grad_(False)
    (one,) = left_out(net, net.body.parameters())
    assert one.names == ("net.scale", "net.head.weight", "net.head.bias")
    assert one.where.frozen
    assert not one.where.later


def test_models_side_by_side_are_each_for_itself() -> None:
    one, other = nn.Linear(3, 3), nn.Linear(3, 1)
    side_by_side = nn.ModuleDict({"one": one, "other": other})
    names = {"both": side_by_side, "optimizer": torch.optim.SGD(one.parameters(), 0.1)}
    assert analysis_of(lambda: loss_of(other(one(torch.ones(5, 3)))), names).left_out == ()


def test_in_eval_mode_nothing_is_left_out() -> None:
    net = Net().eval()
    assert left_out(net, net.body.parameters()) == []
