"""An optimizer, or a module, that is given a computed tensor where only a leaf will do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...text import listed
from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import raised_as

WHAT = "an optimizer takes only leaves, but this tensor is computed"
OPTIMIZER = "can't optimize a non-leaf"
MODULE = r"cannot assign '[\w.]*Tensor' (as parameter|object to parameter)"
COMPUTED = "a module's parameter must be an `nn.Parameter`, but this tensor is computed"
FUNCTIONAL = (
    "To train what it is computed from, call the layer with it: `torch.func.functional_call(layer, {'weight': w}, x)`, "
    "or `F.linear(x, w)`. An `nn.Parameter` around it would be a new leaf, with no path back."
)


def check(analysis: Analysis) -> Iterator[Fault]:
    """The line that made the tensor a computed one."""
    raised = analysis.raised
    if raised is None:
        return
    if re.search(MODULE, raised.message):
        yield from raised_as(MODULE, COMPUTED, analysis, instead=FUNCTIONAL)
    tensor = analysis.refused
    entry = analysis.flow.look_up(tensor) if tensor is not None else None
    call = entry.call if entry is not None else None
    line = call.line if call is not None else None
    more = ""
    if entry is not None and call is not None and line is not None:
        name = analysis.names.tensors.get(id(tensor), "")
        made_of = analysis.named(entry.tracked)
        of = f" from {listed(made_of)}" if made_of else ""
        more = f" `{call.operation}` made {f'`{name}`' if name else 'it'}{of} on this line."
    yield from raised_as(OPTIMIZER, WHAT, analysis, line=line, more=more)


RULE = Rule(
    kind="non_leaf",
    title="Computed tensor given to an optimizer",
    what=WHAT,
    why="A step would change a result that is recomputed each time, never the leaf behind it.",
    instead="Give the optimizer the leaf. Move, cast or scale the plain tensor first and make the leaf last: `nn.Parameter(t.to(device))`, or `t.to(device).requires_grad_()`.",
    severity=Severity.RAISED,
    bad="""
import torch

x = torch.ones(8, 3)
w = torch.ones(3, requires_grad=True).double().mul(0.1)  # <--
optimizer = torch.optim.SGD([w], lr=0.1)


def step():
    return (x.double() @ w).pow(2).mean()
""",
    good="""
import torch

x = torch.ones(8, 3)
w = torch.ones(3).double().mul(0.1).requires_grad_()
optimizer = torch.optim.SGD([w], lr=0.1)


def step():
    return (x.double() @ w).pow(2).mean()
""",
    check=check,
)
