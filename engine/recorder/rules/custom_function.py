"""A custom `autograd.Function` that returns no gradient, or zeros, or uses what is no argument of its."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import starved_by, without_gradient

WHAT = "the custom Function returns no gradient for it"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from starved_by("custom_function", WHAT, analysis)
    yield from without_gradient("custom_function", analysis)


RULE = Rule(
    kind="custom_function",
    title="Custom Function without a gradient",
    what=WHAT,
    why="The `backward` of a custom Function alone decides what gets a gradient: an input for which it returns none gets none, and neither does a tensor that `forward` uses without taking it as an argument.",
    instead="Pass every tensor that needs a gradient as an argument of `apply`, and return its gradient from `backward`; return `None` only for inputs that need none.",
    severity=Severity.STARVED,
    bad="""
import torch
from torch import nn

scale, x = nn.Parameter(torch.ones(1)), torch.ones(8)
head = nn.Parameter(torch.ones(8))
optimizer = torch.optim.SGD([scale, head], lr=0.1)


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, factor):
        ctx.save_for_backward(values)
        return values * factor  # <--

    @staticmethod
    def backward(ctx, gradient):
        (values,) = ctx.saved_tensors
        return gradient, None


def step():
    return Scaled.apply(head * x, scale).pow(2).mean()
""",
    good="""
import torch
from torch import nn

scale, x = nn.Parameter(torch.ones(1)), torch.ones(8)
head = nn.Parameter(torch.ones(8))
optimizer = torch.optim.SGD([scale, head], lr=0.1)


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, factor):
        ctx.save_for_backward(values)
        return values * factor

    @staticmethod
    def backward(ctx, gradient):
        (values,) = ctx.saved_tensors
        return gradient, (gradient * values).sum().reshape(1)


def step():
    return Scaled.apply(head * x, scale).pow(2).mean()
""",
    check=check,
)
