"""Shared memory: an edit of a detached alias or of an array, and a snapshot that is no copy."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor, nn
from torch.optim import Optimizer

from ...text import listed
from ..analysis.analysis import Analysis
from ..capture.reading import elements
from ..memory_edits import edited_behind_autograd, goes_on, gradients_of
from ..rule import Fault, Rule, Severity

WHAT = "two tensors share the same memory, so changing one changes the other"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from edited_behind_autograd("alias", analysis)
    if analysis.raised is None:
        yield from _array_edits(analysis)
    yield from _snapshots(analysis)


def _array_edits(analysis: Analysis) -> Iterator[Fault]:
    for event in analysis.events:
        if (
            event.kind == "array_edit"
            and event.entry is not None
            and goes_on(event.entry, event.number, analysis)
        ):
            names = analysis.trainable_among(analysis.named(event.entry.tracked))
            text = (
                "The array shares its memory with a tensor that the loss is computed from, and was edited: "
                f"{gradients_of(names)} are no longer those of the loss."
            )
            yield Fault(event.line, tuple(names), text, severity=Severity.WRONG)


def _snapshots(analysis: Analysis) -> Iterator[Fault]:
    storages: dict[int, str] | None = None
    own = {id(p) for p in analysis.names.parameters.values()} | analysis.held
    for name, value in analysis.names.variables.items():
        if isinstance(value, nn.Module | Optimizer) or not isinstance(value, Tensor | dict | list | tuple):
            continue
        shared, line = [], None
        for tensor in _tensors_in(value):
            entry = analysis.flow.look_up(tensor)
            if entry is None or tensor.requires_grad or entry.call is None or not entry.call.in_step:
                continue
            if id(tensor) in own:
                continue
            if storages is None:
                trainable = ((n, p) for n, p in analysis.once.items() if analysis.trainable(n))
                storages = {analysis.flow.storage_of(p): n for n, p in trainable}
            if entry.storage in storages:
                shared.append(storages[entry.storage])
                line = entry.call.line
        if shared:
            text = f"`{name}` is not a copy: it shares its memory with {listed(shared)}, so the next `optimizer.step()` changes it too."
            yield Fault(line, tuple(shared), text)


def _tensors_in(value: object, depth: int = 3) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif depth and isinstance(value, dict | list | tuple):
        for item in elements(value, 20_000):
            yield from _tensors_in(item, depth - 1)


RULE = Rule(
    kind="alias",
    title="Two tensors, one memory",
    what=WHAT,
    why="A snapshot that is not a copy changes with the weights; an edit of an alias changes what the loss was computed from.",
    instead="Use `.clone()` (or `copy.deepcopy`) for whatever must keep its value.",
    severity=Severity.WASTE,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
best = {}


def step():
    loss = net(x).pow(2).mean()
    best.update({name: p.detach() for name, p in net.named_parameters()})  # <--
    return loss
""",
    good="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
best = {}


def step():
    loss = net(x).pow(2).mean()
    best.update({name: p.detach().clone() for name, p in net.named_parameters()})
    return loss
""",
    check=check,
)
