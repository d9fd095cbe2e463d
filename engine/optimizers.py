"""The optimizers that a run can have: the expression that stands in the exported script is the one that runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import nn

CODE = {
    "sgd": "torch.optim.SGD(parameters, lr=LEARNING_RATE)",
    "momentum": "torch.optim.SGD(parameters, lr=LEARNING_RATE, momentum=0.9)",
    "adam": "torch.optim.Adam(parameters, lr=LEARNING_RATE)",
}
"""By name: the expression, over `parameters` and LEARNING_RATE."""

MakeOptimizer = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


def maker(name: str, learning_rate: float) -> MakeOptimizer:
    """The function that gives an optimizer of that name and learning rate for some parameters."""
    made: MakeOptimizer = eval(
        f"lambda parameters: {CODE[name]}", {"torch": torch, "LEARNING_RATE": learning_rate}
    )
    return made
