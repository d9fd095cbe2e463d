"""An `inference_mode` block on the way to the loss, or a tensor from one in a trained layer."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import raised_as, starved_by

WHAT = "inference mode records nothing, and its tensors can't be saved for a backward pass"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from starved_by("inference_mode", WHAT, analysis)
    block = next((c.kind_line for c in analysis.calls if c.kind == "inference_mode"), None)
    yield from raised_as(r"[Ii]nference tensor|Inplace update to inference", WHAT, analysis, line=block)


RULE = Rule(
    kind="inference_mode",
    title="Inference mode",
    what=WHAT,
    why="Nothing in the block is recorded, and a trained layer that must save the values for its own gradient raises an error.",
    instead="Use `torch.no_grad()` rather than `torch.inference_mode()` if the result enters a trained layer; use neither if the layers inside are to learn.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    with torch.inference_mode():  # <--
        hidden = net(x)
    return head(hidden.clone()).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    with torch.enable_grad():
        hidden = net(x)
    return head(hidden.clone()).pow(2).mean()
""",
    check=check,
)
