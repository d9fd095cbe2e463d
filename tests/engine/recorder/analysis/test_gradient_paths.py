"""The ways by which a gradient came: one for each line of use, the lines from the use to the loss."""

from typing import Any

import torch
from torch import Tensor, nn

from engine.recorder.analysis.analysis import Analysis
from engine.recorder.analysis.gradient_paths import MOST, find_paths
from tests.engine.recorder.analysed import analysis_of, loss_of

Way = tuple[list[str], tuple[str, ...], str]


def ways(analysis: Analysis, name: str) -> list[Way]:
    found = find_paths(analysis).get(name, ())
    return [([at.text.strip() for at in path.lines], path.operations, path.state) for path in found]


def test_a_way_has_the_lines_from_the_use_to_the_loss() -> None:
    net, x = nn.Linear(3, 4), torch.ones(5, 3)

    def step() -> object:
        hidden = net(x)
        hidden = hidden.tanh().exp()
        return hidden.mean()

    analysis = analysis_of(step, {"net": net})
    lines = ["hidden = net(x)", "hidden = hidden.tanh().exp()", "return hidden.mean()"]
    assert ways(analysis, "net.weight") == [(lines, ("linear", "tanh", "exp", "mean"), "value")]
    assert ways(analysis, "net.bias") == ways(analysis, "net.weight")


def test_two_uses_are_two_ways_and_one_line_is_one() -> None:
    net, x = nn.Linear(3, 4), torch.ones(5, 3)

    def step() -> object:
        first = net(x).tanh()
        second = net(2 * x)
        return loss_of(first) + (second + net(x)).sum()

    found = ways(analysis_of(step, {"net": net}), "net.weight")
    starts = [lines[0] for lines, _, _ in found]
    assert sorted(starts) == [
        "first = net(x).tanh()",
        "return loss_of(first) + (second + net(x)).sum()",
        "second = net(2 * x)",
    ]


def test_what_is_cut_off_has_no_way() -> None:
    net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(5, 3)
    analysis = analysis_of(lambda: loss_of(head(net(x).detach())), {"net": net, "head": head})
    assert ways(analysis, "net.weight") == []
    assert len(ways(analysis, "head.weight")) == 1


def test_a_way_by_which_zeros_came_says_so_and_gives_way_to_a_value() -> None:
    net, x = nn.Linear(3, 4), torch.ones(5, 3)
    only = analysis_of(lambda: net(x).sign().sum(), {"net": net})
    assert [state for _, _, state in ways(only, "net.weight")] == ["zero"]
    net.zero_grad()
    both = analysis_of(lambda: net(x).sign().sum() + net(x).sum(), {"net": net})
    assert [state for _, _, state in ways(both, "net.weight")] == ["value"]


def test_of_very_many_ways_the_first_are_listed() -> None:
    net, x = nn.Linear(1, 1), torch.ones(5, 1)
    text = "def step():\n" + "".join(f"    a{n} = net(x)\n" for n in range(MOST + 5))
    text += "    return " + " + ".join(f"a{n}.sum()" for n in range(MOST + 5)) + "\n"
    space: dict[str, Any] = {"net": net, "x": x}
    exec(compile(text, "many.py", "exec"), space)
    analysis = analysis_of(space["step"], {"net": net})
    assert len(find_paths(analysis)["net.weight"]) == MOST


def test_each_backward_pass_brings_its_own_ways() -> None:
    net, x = nn.Linear(3, 4), torch.ones(5, 3)

    def step() -> None:
        loss_of(net(x)).backward()
        net(x).sum().backward()

    found = ways(analysis_of(step, {"net": net}), "net.weight")
    assert [lines[0] for lines, _, _ in found] == ["loss_of(net(x)).backward()", "net(x).sum().backward()"]


def test_a_derivative_that_is_only_asked_for_is_no_way() -> None:
    net, x = nn.Linear(3, 1), torch.ones(5, 3, requires_grad=True)

    def step() -> Tensor:
        (slope,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
        return loss_of(slope)

    analysis = analysis_of(step, {"net": net})
    assert ways(analysis, "net.bias") == []
    assert len(ways(analysis, "net.weight")) == 1
