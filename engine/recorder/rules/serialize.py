"""A tensor that has a history, sent to another process."""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.analysis import Analysis
from ..rule import Fault, Rule, Severity
from ..starving import raised_as

WHAT = "a tensor with a history can't be sent to another process"


def check(analysis: Analysis) -> Iterator[Fault]:
    """The places where it happens."""
    yield from raised_as("serialize non-leaf", WHAT, analysis)


RULE = Rule(
    kind="serialize",
    title="Tensor with a history sent to another process",
    what=WHAT,
    why="A graph can't leave its process, so torch refuses to send a tensor that is part of one.",
    instead="Send its `.detach()`.",
    severity=Severity.RAISED,
    bad="""
import pickle

import torch
from torch import nn
from multiprocessing.reduction import ForkingPickler
import torch.multiprocessing

net, x = nn.Linear(3, 1), torch.ones(8, 3)


def step():
    loss = net(x).pow(2).mean()
    ForkingPickler.dumps(loss)  # <--
    return loss
""",
    good="""
import pickle

import torch
from torch import nn
from multiprocessing.reduction import ForkingPickler
import torch.multiprocessing

net, x = nn.Linear(3, 1), torch.ones(8, 3)


def step():
    loss = net(x).pow(2).mean()
    ForkingPickler.dumps(loss.detach())
    return loss
""",
    check=check,
)
