"""Switches of `requires_grad` that come after the uses which they should have been for."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from tests.engine.recorder.analysed import analysis_of, code_at, loss_of

Step = Callable[[nn.Linear, Tensor], Tensor]


def switched_off_and_on(net: nn.Linear, x: Tensor) -> Tensor:
    net.requires_grad_(False)
    out: Tensor = net(x)
    net.requires_grad_(True)
    return out


def switched_on_after(net: nn.Linear, x: Tensor) -> Tensor:
    out: Tensor = net(x)
    net.requires_grad_(True)
    return out


def switched_on_before(net: nn.Linear, x: Tensor) -> Tensor:
    net.requires_grad_(True)
    out: Tensor = net(x)
    return out


def used_again(net: nn.Linear, x: Tensor) -> Tensor:
    out: Tensor = net(x)
    net.requires_grad_(True)
    again: Tensor = net(x)
    return out + again


def switched_off_after(net: nn.Linear, x: Tensor) -> Tensor:
    out: Tensor = net(x)
    net.requires_grad_(False)
    return out


@pytest.mark.parametrize(
    ("step", "trained", "kind"),
    [
        (switched_off_and_on, True, ""),
        (switched_on_after, False, "unfreeze"),
        (switched_on_after, True, ""),
        (switched_on_before, False, ""),
        (used_again, False, ""),
        (switched_off_after, True, "freeze"),
        (switched_off_after, False, ""),
    ],
)
def test_a_switch_is_late_only_for_what_it_was_meant_for(step: Step, trained: bool, kind: str) -> None:
    net, head, x = nn.Linear(3, 4).requires_grad_(trained), nn.Linear(4, 1), torch.ones(5, 3)
    analysis = analysis_of(lambda: loss_of(head(step(net, x))), {"net": net, "head": head})
    assert [(one.kind, one.names, one.raised) for one in analysis.late_switches] == (
        [(kind, ("net.weight", "net.bias"), False)] if kind else []
    )
    for one in analysis.late_switches:
        assert code_at(analysis, one.line) == f"net.requires_grad_({kind == 'unfreeze'})"
