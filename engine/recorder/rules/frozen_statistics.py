"""A frozen layer in train mode, whose running statistics still move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "the layer is frozen and in train mode"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    if all(analysis.wants(p) for p in analysis.names.parameters.values()):
        return
    moved: list[str] = []
    owners: list[str] = []
    inside = _by_module(analysis.names.parameters)
    for buffer in analysis.moved_buffers:
        if analysis.names.tensors[id(analysis.names.buffers[buffer.name][0])] != buffer.name:
            continue  # told already, under its first name
        below = inside.get(buffer.module, [])
        around = below or inside.get(buffer.module.rpartition(".")[0], [])
        if around and not any(analysis.wants(analysis.tensor(n)) for n in around):
            moved.append(buffer.name)
            owners += below
    if moved:
        text = f"The layer is frozen, but {listed(moved)} still {verb(moved, 'changes', 'change')}: the layer is in train mode."
        yield Fault(analysis.frozen_at(owners), tuple(moved), text)


def _by_module(names: Iterable[str]) -> dict[str, list[str]]:
    """The names of the parameters in each module, those of the modules in it included."""
    found: dict[str, list[str]] = {}
    for name in names:
        module = name.rpartition(".")[0]
        while module:
            found.setdefault(module, []).append(name)
            module = module.rpartition(".")[0]
    return found


RULE = Rule(
    kind="frozen",
    title="Frozen layer whose statistics change",
    what=WHAT,
    why="In train mode BatchNorm updates its running statistics whether or not its parameters are frozen, so training still changes the layer.",
    instead="Call `.eval()` on the frozen layers as well.",
    severity=Severity.WASTE,
    bad="""
import torch
from torch import nn

norm, head, x = nn.BatchNorm1d(3), nn.Linear(3, 1), torch.randn(8, 3)
norm.requires_grad_(False)  # <--


def step():
    return head(norm(x)).pow(2).mean()
""",
    good="""
import torch
from torch import nn

norm, head, x = nn.BatchNorm1d(3), nn.Linear(3, 1), torch.randn(8, 3)
norm.requires_grad_(False).eval()


def step():
    return head(norm(x)).pow(2).mean()
""",
    check=check,
)
