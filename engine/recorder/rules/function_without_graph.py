"""A derivative that is taken inside a custom Function, where gradients are off."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity

WHAT = "inside a custom Function nothing is recorded, so there is no graph to differentiate"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The line in `forward` or `backward` that asked for a gradient."""
    raised, method = analysis.raised, analysis.raised_in
    if raised is None or not method or not analysis.cannot_train:
        return
    text = (
        f"{raised.type}: this runs in the `{method}` of a custom Function. Torch switches gradients off there, so there is no graph to "
        "differentiate."
    )
    yield Fault(analysis.raised_line, (), text)


RULE = Rule(
    kind="custom_function",
    title="Derivative inside a custom Function",
    what=WHAT,
    why="Torch runs `forward` and `backward` of a custom Function with gradients off: the Function defines its derivative itself.",
    instead="Compute what is differentiated there under `with torch.enable_grad():`, from `x.detach().requires_grad_()`.",
    severity=Severity.RAISED,
    bad="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3, requires_grad=True)


class Slope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values):
        values = values.detach().requires_grad_()
        with torch.no_grad():
            return torch.autograd.grad(values.pow(2).sum(), values)[0]  # <--

    @staticmethod
    def backward(ctx, gradient):
        return 2 * gradient


def step():
    return Slope.apply(net(x)).mean()
""",
    good="""
import torch
from torch import nn

net, x = nn.Linear(3, 1), torch.ones(8, 3, requires_grad=True)


class Slope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values):
        values = values.detach().requires_grad_()
        with torch.enable_grad():
            return torch.autograd.grad(values.pow(2).sum(), values)[0]

    @staticmethod
    def backward(ctx, gradient):
        return 2 * gradient


def step():
    return Slope.apply(net(x)).mean()
""",
    check=check,
)
