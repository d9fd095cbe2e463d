"""A custom Function whose `backward` returns too few gradients, too many, or one of another shape."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..capture.source_text import line_that_returns
from ..rule import Fault, Rule, Severity

WHAT = "the gradients that the custom Function's `backward` returns do not match its inputs"
PATTERN = r"unction (\w+?)Backward returned an (?:incorrect|invalid)"
_COUNT = r"\(expected (\d+), got (\d+)\)"
_SHAPE = r"at index (\d+) - got (\[.*?\]) but expected .*?(\[.*?\])"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The `return` of that `backward`."""
    raised = analysis.raised
    found = re.search(PATTERN, raised.message) if raised is not None else None
    if raised is None or found is None:
        return
    line = line_that_returns(analysis.file, found[1], "backward") or analysis.raised_line
    yield Fault(line, (), f"{raised.type}: {_said(found[1], raised.message)}.")


def _said(function: str, message: str) -> str:
    if count := re.search(_COUNT, message):
        return f"`{function}.backward` returns {count[2]} gradients, but `forward` has {count[1]} inputs"
    if shape := re.search(_SHAPE, message):
        return (
            f"`{function}.backward` returns a gradient of shape {shape[2]} for input {int(shape[1]) + 1} of `forward`, which has shape "
            f"{shape[3]}"
        )
    return f"`{function}.backward` returns something that is not a gradient of its input"


RULE = Rule(
    kind="custom_function",
    title="Custom Function that returns wrong gradients",
    what=WHAT,
    why="A custom Function's `backward` must return one gradient for each input of `forward`, each with the shape of its input.",
    instead="Return them in the order of `forward`'s inputs, and `None` for an input that needs none.",
    severity=Severity.RAISED,
    bad="""
import torch

scale, x = torch.ones(1, requires_grad=True), torch.ones(8)


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, factor):
        ctx.save_for_backward(values)
        return values * factor

    @staticmethod
    def backward(ctx, gradient):
        (values,) = ctx.saved_tensors
        return (gradient * values).sum().reshape(1)  # <--


def step():
    return Scaled.apply(x, scale).mean()
""",
    good="""
import torch

scale, x = torch.ones(1, requires_grad=True), torch.ones(8)


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values, factor):
        ctx.save_for_backward(values)
        return values * factor

    @staticmethod
    def backward(ctx, gradient):
        (values,) = ctx.saved_tensors
        return None, (gradient * values).sum().reshape(1)


def step():
    return Scaled.apply(x, scale).mean()
""",
    check=check,
)
