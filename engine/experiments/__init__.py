"""The experiments: one file each in this folder, found by being there.

An experiment file is plain torch. It has `make_data()`, `make_model(start, generator)` and
`step(model, data)`, which returns the loss and the prediction, and it marks with `detach_here(tensor, "place")`
each place where a detach can stand. Its `EXPERIMENT` says the rest. `engine.source` writes the file out as a
script in which the chosen place is a real `.detach()`; that script is what runs, what is shown and what is
exported, so the code on screen is the code that made the numbers.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import Literal

from torch import Tensor

Task = Literal["regression", "classification"]


@dataclass(frozen=True)
class Place:
    """A place where the detach can stand: its name in the code and in links, and the words for it."""

    name: str
    label: str


@dataclass(frozen=True)
class Defaults:
    """The settings that an experiment starts with; `engine.settings` checks them like any others."""

    detach: str
    epochs: int
    learning_rate: float
    optimizer: str
    start: str


@dataclass(frozen=True)
class Experiment:
    """What an experiment file says of itself, beside its code.

    `name` is the file's name. `shown_epoch` is the epoch that the data flow opens on.
    """

    name: str
    title: str
    summary: str
    task: Task
    places: tuple[Place, ...]
    starts: tuple[str, ...]
    defaults: Defaults
    shown_epoch: int = 1


def detach_here(tensor: Tensor, place: str) -> Tensor:
    """Marks a place where a detach can stand. As it is, it does nothing; `engine.source` writes it out."""
    del place
    return tensor


@cache
def experiment_names() -> tuple[str, ...]:
    """The names of all experiments, the reference lesson first."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(names, key=lambda name: name != "lesson"))


@cache
def find_experiment(name: str) -> Experiment:
    """The experiment of that name. Raises `ModuleNotFoundError` for a name that `experiment_names` lacks."""
    found: Experiment = importlib.import_module(f"{__name__}.{name}").EXPERIMENT
    return found
