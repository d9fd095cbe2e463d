"""An optimizer all of whose parameters are frozen."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed
from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "everything that the optimizer holds is frozen"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    for name, optimizer in analysis.names.optimizers.items():
        if any(one.where.frozen and one.where.optimizer == name for one in analysis.left_out):
            continue  # what it should hold is known
        held = [p for group in optimizer.param_groups for p in group["params"]]
        alone = (
            len(analysis.names.optimizers) == 1 and analysis.backward_is_ours
        )  # its step comes after this one
        if held and (alone or optimizer in analysis.stepped) and not any(analysis.wants(p) for p in held):
            frozen = analysis.frozen_in(optimizer)
            which = f" ({listed(frozen)})" if frozen else ""
            text = f"Everything that `{name}` holds is frozen{which}, so its step updates nothing."
            yield Fault(analysis.line_that_binds(name), tuple(frozen), text)


RULE = Rule(
    kind="frozen",
    title="Optimizer of frozen parameters",
    what=WHAT,
    why="The optimizer's step updates nothing.",
    instead="Give the optimizer what is to be trained, such as `head.parameters()`, or unfreeze what it holds.",
    severity=Severity.STILL,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4).requires_grad_(False), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # <--


def step():
    return head(net(x)).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4).requires_grad_(False), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)


def step():
    return head(net(x)).pow(2).mean()
""",
    check=check,
)
