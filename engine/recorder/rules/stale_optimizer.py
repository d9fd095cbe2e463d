"""An optimizer that holds tensors which the model no longer uses, or none at all."""

from __future__ import annotations

from collections.abc import Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "the optimizer holds tensors that the model no longer uses"

EMPTY = "Pass a list, `list(model.parameters())`: a generator that has been read once is empty."


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    if not analysis.names.optimizers:
        return
    hidden = {id(p) for p in analysis.hidden.values()}
    alive = {id(p) for p in analysis.names.parameters.values()} | hidden
    used = {id(analysis.leaf(b)) for run in analysis.passes for b in run.arrived} if analysis.held else set()
    # A group may be empty where nothing is missed: a module that has no parameters gives none.
    missed = bool(used - analysis.held) or any(
        not analysis.is_held(n) for n in analysis.trainable_among(analysis.once)
    )
    left_out = [
        n for n, p in analysis.once.items()
        if analysis.states[n] in ("gradient", "zero") and not analysis.is_held(n) and id(p) not in hidden
    ]  # fmt: skip
    for name, optimizer in analysis.names.optimizers.items():
        line = analysis.line_that_binds(name)
        mine = [p for group in optimizer.param_groups for p in group["params"]]
        gone = [p for p in mine if id(p) not in alive and id(p) not in used]
        # A model that was replaced may live on, where only the garbage collector would end it.
        if (
            mine
            and not analysis.explained
            and all(id(p) in analysis.unled and id(p) not in used for p in mine)
        ):
            gone = mine
        if gone and left_out:
            who = verb(
                left_out, "gets a gradient but is never updated", "get gradients but are never updated"
            )
            tensors = "tensor" if len(gone) == 1 else "tensors"
            text = f"{listed(left_out)} {who}: `{name}` holds {len(gone)} {tensors} that the model no longer uses."
            yield Fault(line, tuple(left_out), text, weight=len(left_out))
        if missed and not all(group["params"] for group in optimizer.param_groups):
            text = f"`{name}` has a group without parameters, so it never updates what was meant to be in it."
            yield Fault(line, (), text, EMPTY)


RULE = Rule(
    kind="stale_optimizer",
    title="Optimizer that holds old tensors",
    what=WHAT,
    why="The model gets its gradients, but the optimizer holds other tensors, which get none.",
    instead="Build the optimizer after the last change to the model, from `net.parameters()`, or add the new ones with `add_param_group`.",
    severity=Severity.STILL,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(nn.Linear(3, 1).parameters(), lr=0.1)  # <--


def step():
    return net(x).pow(2).mean()
""",
    good="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    return net(x).pow(2).mean()
""",
    check=check,
)
