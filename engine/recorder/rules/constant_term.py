"""A term that is added to the loss, was computed from parameters, and has no path back to them."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..analysis.facts import closure
from ..capture.summands import summands
from ..rule import Fault, Rule, Severity

WHAT = "a term of the loss is a constant"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    for root in analysis.roots:
        if not root.tracked:
            continue
        for term in summands(root):
            if term.tracked or not term.value:
                continue
            ancestors = closure([term])
            for cut in analysis.cuts:
                names = analysis.trainable_among(analysis.named(cut.lost))
                if (
                    names
                    and cut.intended
                    and cut.kind != "create_graph"
                    and any(id(e) in ancestors for e in cut.outputs)
                ):
                    text = (
                        f"A term of the loss is a constant, so it moves nothing: {listed(names)} "
                        f"{verb(names, 'loses', 'lose')} this path."
                    )
                    yield Fault(cut.line, tuple(names), text, kind=cut.kind)


RULE = Rule(
    kind="detach",
    title="Constant term of the loss",
    what=WHAT,
    why="The loss is larger by that term, and nothing learns from it.",
    instead="Remove what cuts the term off (a `detach`, a `no_grad` block), or leave the term out of the loss and log it.",
    severity=Severity.WRONG,
    bad="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    first = net(x).detach().pow(2).mean()  # <--
    return head(net(x)).pow(2).mean() + first
""",
    good="""
import torch
from torch import nn

net, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)


def step():
    first = net(x).pow(2).mean()
    return head(net(x)).pow(2).mean() + first
""",
    check=check,
)
