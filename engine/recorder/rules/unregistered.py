"""Layers or tensors of a module that it does not register, so that no optimizer holds them."""

from __future__ import annotations

from collections.abc import Iterator

from torch import nn

from ...text import listed, verb
from ..analysis.analysis import Analysis
from ..capture.frames import Line
from ..capture.source_text import line_that_assigns, line_that_assigns_to_self
from ..rule import Fault, Rule, Severity

WHAT = "layers in a plain list, tuple or dict are not registered with the module"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    used = {bit for run in analysis.passes for bit in run.arrived} if analysis.hidden else set()
    names, paths = [], []
    for path, parameter in analysis.hidden.items():
        if analysis.bit(parameter) in used and id(parameter) not in analysis.held and parameter.requires_grad:
            paths.append(path)
            names.append(analysis.names.tensors.get(id(parameter), path))
    if not names:
        return
    plain = not any(isinstance(analysis.hidden[path], nn.Parameter) for path in paths)
    nobody = "no optimizer holds" if analysis.held else "`parameters()` doesn't list"
    why = "a plain tensor is not a parameter of its module" if plain else WHAT
    text = f"{listed(paths)} {verb(paths, 'gets', 'get')} a gradient, but {nobody} {verb(paths, 'it', 'them')}: {why}."
    yield Fault(
        _line_of(paths[0], analysis),
        tuple(names),
        text,
        "Make it an `nn.Parameter`." if plain else "",
        weight=len(names),
    )


def _line_of(path: str, analysis: Analysis) -> Line | None:
    """The line that gives a module the attribute: in its class, wherever that stands, or else in the file."""
    where, _, attribute = path.partition("[")[0].rpartition(".")
    owner = next((m for layers in analysis.names.layers.values() for at, m in layers if at == where), None)
    line = line_that_assigns_to_self(owner, attribute) if owner is not None else None
    return line or line_that_assigns(analysis.file, f"self.{attribute}")


RULE = Rule(
    kind="unregistered",
    title="Layers that are not registered",
    what=WHAT,
    why="`parameters()` does not list them, so no optimizer updates them, and `state_dict()` does not save them.",
    instead="Use `nn.ModuleList`, `nn.ModuleDict` or `nn.ParameterList`.",
    severity=Severity.STILL,
    bad="""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3), nn.Linear(3, 3)]  # <--
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


net, x = Net(), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    return net(x).pow(2).mean()
""",
    good="""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


net, x = Net(), torch.ones(8, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def step():
    return net(x).pow(2).mean()
""",
    check=check,
)
