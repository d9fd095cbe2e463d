"""A `torch.tensor(...)` of tensors that have a history."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import starved_by

WHAT = "building a new tensor from old ones copies their values, not their history"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from starved_by("torch_tensor", WHAT, analysis)
    for cut in analysis.cuts:
        names = analysis.trainable_among(cut.partial)
        if (
            cut.kind == "torch_tensor"
            and not cut.intended
            and not analysis.trainable_among(cut.starved)
            and names
        ):
            text = (
                f"{listed(names)} {verb(names, 'loses', 'lose')} part of the gradient here: {WHAT}. "
                "What arrives through the other paths is not the gradient of the loss."
            )
            yield Fault(cut.line, tuple(names), text, severity=Severity.WRONG, weight=len(names))


RULE = Rule(
    kind="torch_tensor",
    title="New tensor built from old ones",
    what=WHAT,
    why="`torch.tensor([...])` copies the values and forgets where they came from.",
    instead="Combine tensors with `torch.stack` or `torch.cat`, and use the tensor itself instead of a copy.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    means = torch.tensor([column.mean() for column in net(x).T])  # <--
    return head(means).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    means = torch.stack([column.mean() for column in net(x).T])
    return head(means).pow(2).mean()
""",
    check=check,
)
