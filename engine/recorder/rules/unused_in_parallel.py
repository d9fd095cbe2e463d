"""DistributedDataParallel waits for the gradient of a parameter that took no part in the loss."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torch.nn.parallel import DistributedDataParallel

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "DistributedDataParallel waits for the gradient of every parameter, but one is not part of the loss"
PATTERN = "Expected to have finished reduction in the prior iteration"
_INDICES = r"did not receive grad for rank \d+: ([\d ]+)"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The parameters that the call before left unused, at the line that used them last."""
    raised = analysis.raised
    if raised is None or PATTERN not in raised.message:
        return
    names = _unused(raised.message, analysis)
    if not names:
        yield Fault(analysis.raised_line, (), f"{raised.type}: {WHAT}.")
        return
    lines = [analysis.used_before.get(id(analysis.tensor(n))) for n in names]
    line = next((line for line in reversed(lines) if line is not None), None)
    how = (
        f"{verb(names, 'its result is', 'their results are')} not part of the loss"
        if line is not None
        else f"nothing used {verb(names, 'it', 'them')}"
    )
    text = (
        f"{raised.type}: DistributedDataParallel waits for the gradient of every parameter, and in the step before "
        f"{listed(names)} got none: {how}."
    )
    yield Fault(line or analysis.raised_line, tuple(names), text, weight=len(names))


def _unused(message: str, analysis: Analysis) -> list[str]:
    """The names behind the numbers that torch gives: it counts what requires a gradient, in order."""
    numbers = re.search(_INDICES, message)
    if numbers is None:
        return []
    known = {id(p): name for name, p in analysis.once.items()}
    for layers in analysis.names.layers.values():
        for _, module in layers:
            if isinstance(module, DistributedDataParallel):
                wanted = [p for p in module.module.parameters() if p.requires_grad]
                found = [wanted[i] for i in map(int, numbers[1].split()) if i < len(wanted)]
                return [known[id(p)] for p in found if id(p) in known]
    return []


RULE = Rule(
    kind="not_in_graph",
    title="Unused parameters under DistributedDataParallel",
    what=WHAT,
    why="The processes wait for each other's gradients: one that never arrives stops the next step.",
    instead="Use its result, as in `hidden = layer(hidden)`, freeze it before the model is wrapped, or pass `find_unused_parameters=True`.",
    severity=Severity.RAISED,
    bad="""
import torch
from torch import distributed, nn

distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.extra = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        hidden = self.body(x)
        unused = self.extra(hidden)  # <--
        return hidden


net, x = nn.parallel.DistributedDataParallel(Net()), torch.ones(8, 3)


def step():
    return net(x).pow(2).mean()
""",
    good="""
import torch
from torch import distributed, nn

distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.extra = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        hidden = self.body(x)
        hidden = self.extra(hidden)
        return hidden


net, x = nn.parallel.DistributedDataParallel(Net()), torch.ones(8, 3)


def step():
    return net(x).pow(2).mean()
""",
    check=check,
    calls=2,
)
