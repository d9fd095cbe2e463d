"""A Python number, taken by `item()`, `float()` or `tolist()`, on the way to the loss."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import starved_by

WHAT = "a Python number has no history"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    rebuilt = {cut.line for cut in analysis.cuts if cut.kind == "torch_tensor" and cut.starved}
    yield from starved_by("item", WHAT, analysis, which=lambda cut: cut.line not in rebuilt)


RULE = Rule(
    kind="item",
    title="Python number on the path",
    what=WHAT,
    why="`item()`, `float()` and `tolist()` leave torch: from there on the value is a constant.",
    instead="Keep computing with the tensor; call `.item()` only for what is printed or logged.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    gate = net(x).mean().item()  # <--
    return (gate * head(torch.ones(8, 4))).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    gate = net(x).mean()
    return (gate * head(torch.ones(8, 4))).pow(2).mean()
""",
    check=check,
)
