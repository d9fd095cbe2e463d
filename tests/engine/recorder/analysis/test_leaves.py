"""Named tensors that are no leaves, and parameters in containers that no module registers."""

import torch
from torch import Tensor, nn

from tests.engine.recorder.analysed import analysis_of, loss_of


class Holder(nn.Module):
    """A module with further layers in a plain container."""

    def __init__(self, more: object) -> None:
        super().__init__()
        self.body, self.more = nn.Linear(3, 1), more

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.body(x)
        return out


def hidden_in(more: object) -> list[str]:
    net = Holder(more)
    return list(analysis_of(lambda: loss_of(net(torch.ones(4, 3))), {"net": net}).hidden)


def test_layers_in_plain_containers_are_hidden() -> None:
    layer, weight = nn.Linear(3, 1), torch.ones(3, requires_grad=True)
    at = "net.more"
    assert hidden_in([layer]) == [f"{at}[0].weight", f"{at}[0].bias"]
    assert hidden_in({"one": (layer,)}) == [f"{at}['one'][0].weight", f"{at}['one'][0].bias"]
    assert hidden_in([[[weight]]]) == [f"{at}[0][0][0]"]
    assert hidden_in([[[[weight]]]]) == []
    assert hidden_in([weight * 2, weight.detach(), 1, "text"]) == []
    assert hidden_in(nn.ModuleList([layer])) == []


def test_a_container_that_holds_itself_is_looked_at_once() -> None:
    layer = nn.Linear(3, 1)
    around: dict[str, object] = {"layer": layer}
    around["itself"] = around
    assert hidden_in(around) == ["net.more['layer'].weight", "net.more['layer'].bias"]
