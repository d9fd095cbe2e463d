"""Leaves that nobody holds, met by a recording that did not see them being made."""

import torch
from torch import Tensor, nn

from engine.recorder import record_step, recording


class Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3)) * 0.01
        self.body = nn.Linear(3, 1)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.body(self.scale * x)
        return out


def test_the_line_is_found_in_the_class_that_made_it_before_the_recording() -> None:
    net, x = Scaled(), torch.ones(4, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with recording(optimizer=optimizer) as recorded:
        net(x).pow(2).mean().backward()
    (finding,) = recorded.report.findings
    assert (finding.kind, finding.names) == ("non_leaf", ("net.scale",))
    assert finding.location is not None
    assert finding.location.text == "self.scale = nn.Parameter(torch.ones(3)) * 0.01"


def test_a_step_meets_it_too() -> None:
    net, x = Scaled(), torch.ones(4, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    report = record_step(lambda: net(x).pow(2).mean(), optimizer=optimizer)
    assert [(f.kind, f.names) for f in report.findings] == [("non_leaf", ("net.scale",))]


def test_a_leaf_that_somebody_else_holds_is_not_lost() -> None:
    net, x = Scaled(), torch.ones(4, 3)
    leaf = nn.Parameter(torch.ones(3))
    elsewhere = iter([leaf])  # where no name leads to
    net.scale = leaf * 0.01
    del leaf
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    report = record_step(lambda: net(x).pow(2).mean(), optimizer=optimizer)
    assert report.ok, report.verdict
    assert next(elsewhere).grad is not None


def test_an_activation_kept_on_the_module_is_not_a_lost_leaf() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Linear(3, 1)

        def forward(self, x: Tensor) -> Tensor:
            seen: Tensor = self.body(x * torch.ones(3, requires_grad=True))
            self.seen = seen
            return seen

    net, x = Net(), torch.ones(4, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    report = record_step(lambda: net(x).pow(2).mean(), optimizer=optimizer, calls=2)
    assert report.ok, report.verdict


def test_adapters_added_after_the_optimizer_are_told_without_having_seen_it_built() -> None:
    class Adapted(nn.Module):
        def __init__(self, base: nn.Linear) -> None:
            super().__init__()
            self.base = base.requires_grad_(False)
            self.down, self.up = nn.Linear(3, 2, bias=False), nn.Linear(2, 3, bias=False)

        def forward(self, x: Tensor) -> Tensor:
            out: Tensor = self.base(x) + self.up(self.down(x))
            return out

    first, x = nn.Linear(3, 3), torch.ones(4, 3)
    net = nn.Sequential(first, nn.Tanh())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net[0] = Adapted(first)
    report = record_step(lambda: net(x).pow(2).mean(), optimizer=optimizer)
    (finding,) = report.findings
    assert (finding.kind, finding.names) == ("unregistered", ("net.0.down.weight", "net.0.up.weight"))
    assert "add_param_group" in finding.suggestion
