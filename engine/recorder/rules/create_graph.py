"""A gradient that goes into the loss, taken without `create_graph=True`."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..analysis.facts import closure
from ..analysis.intent import downstream
from ..rule import Fault, Rule, Severity
from ..starving import starved_by

WHAT = "a gradient taken without `create_graph=True` is a constant"


def check(analysis: Analysis) -> Iterator[Fault]:
    """Gradients that starve a parameter as constants, and those that only lose a part of the loss's gradient."""
    yield from starved_by("create_graph", WHAT, analysis)
    into_loss: set[int] | None = None
    for cut in analysis.cuts:
        if cut.kind != "create_graph" or (not cut.intended and analysis.trainable_among(cut.starved)):
            continue
        about = 0
        for call in cut.calls:
            for entry in call.about:
                about |= entry.tracked
        into_loss = closure(analysis.roots, through_updates=False) if into_loss is None else into_loss
        entries = [e for e in cut.outputs if id(e) in into_loss]
        own = analysis.trainable_among(analysis.named(about))
        if entries and (own or not downstream(entries, analysis).layers):
            lost = analysis.trainable_among(analysis.named(cut.lost_on_the_way))
            text = "The gradient taken here enters the loss as a constant: it was taken without `create_graph=True`."
            yield Fault(cut.line, tuple(lost), text, severity=Severity.WRONG)


RULE = Rule(
    kind="create_graph",
    title="First-order gradient in the loss",
    what=WHAT,
    why="The penalty is computed and logged, but trains nothing.",
    instead="Pass `create_graph=True` if the loss must be differentiated through this gradient.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

net, x = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1)), torch.ones(8, 2, requires_grad=True)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    out = net(x)
    (slope,) = torch.autograd.grad(out.sum(), x, retain_graph=True)  # <--
    return out.pow(2).mean() + (slope.norm(dim=1) - 1).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, x = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1)), torch.ones(8, 2, requires_grad=True)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    out = net(x)
    (slope,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    return out.pow(2).mean() + (slope.norm(dim=1) - 1).pow(2).mean()
""",
    check=check,
)
