"""Parameters that no optimizer holds, while one holds others of the same module."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..analysis.left_out import LeftOut
from ..rule import Fault, Rule, Severity

WHAT = "no optimizer holds it, although one holds other parameters of the same module"
LATER = (
    "Build the optimizer last, from what is to be trained: `[p for p in model.parameters() if p.requires_grad]`; "
    "or add what came later with `optimizer.add_param_group(...)`."
)


def check(analysis: Analysis) -> Iterator[Fault]:
    """One fault for each optimizer that holds only a part of a module."""
    for one in analysis.left_out:
        advice = LATER if one.where.later or one.where.frozen else ""
        names = one.names
        line = analysis.line_that_binds(one.where.optimizer)
        yield Fault(line, names, _text(one), advice, weight=len(names))


def _text(one: LeftOut) -> str:
    where, names = one.where, one.names
    optimizer = f"`{where.optimizer}`"
    who = f"{listed(names)} {verb(names, 'gets a gradient but is', 'get gradients but are')} in no optimizer"
    if where.later:
        why = f"{optimizer} was built before {verb(names, 'it was', 'they were')} added"
        return f"{who}: {why}{', and everything it holds there is frozen' if where.frozen else ''}."
    if where.frozen:
        return f"{who}: {optimizer} holds only the frozen part of {_module(where.module)}, and updates nothing there."
    return f"{who}, so {verb(names, 'it is', 'they are')} never updated: {optimizer} holds other parameters of {_module(where.module)}."


def _module(path: str) -> str:
    return f"`{path}`" if path else "the model"


RULE = Rule(
    kind="unregistered",
    title="Left out of the optimizer",
    what=WHAT,
    why="It gets a gradient in every step but is never updated, while the rest of the module learns around it.",
    instead="Pass them all: `model.parameters()`. To leave one out on purpose, freeze it with `requires_grad_(False)`.",
    severity=Severity.STILL,
    bad="""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale, self.body = nn.Parameter(torch.ones(1)), nn.Linear(3, 1)

    def forward(self, x):
        return self.scale * self.body(x)


net, x = Net(), torch.ones(8, 3)
optimizer = torch.optim.SGD([p for name, p in net.named_parameters() if "." in name], lr=0.1)  # <--


def step():
    return net(x).pow(2).mean()
""",
    good="""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale, self.body = nn.Parameter(torch.ones(1)), nn.Linear(3, 1)

    def forward(self, x):
        return self.scale * self.body(x)


net, x = Net(), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    return net(x).pow(2).mean()
""",
    check=check,
)
