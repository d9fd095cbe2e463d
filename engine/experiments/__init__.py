"""The experiments: one file each in this folder, found by being there.

An experiment file is plain torch. It has `make_data()`, `make_model(start, generator)` and
`step(model, data)`, which returns the loss and the prediction, and it marks with `detach_here(tensor, "place")`
each place where a detach can stand. Its `EXPERIMENT` says the rest. `twins.experiment_script` writes the file out as a
script in which the chosen place is a real `.detach()`; that script is what runs, what is shown and what is
exported, so the code on screen is the code that made the numbers.

What a file can have besides:
- `make_data(generator)`, where the data depend on the seed;
- `make_optimizers(model, make_optimizer)`: then the step is `step(model, data, optimizers)`, backpropagates its
  losses and moves the parameters itself. `make_optimizer(parameters)` gives the optimizer that the reader chose;
- `measure(model, data, prediction)`, one number an epoch, described by the experiment's `measure`;
- for each of its `options` a constant in capitals, which is written out with the chosen value;
- the marks `with no_grad_here("place"):` and `freeze_here(module, "place")` for other kinds of cut;
- a model with an attribute `epoch`, which is told the epoch (from 1) before each step.
Marks stand in `step` only, each on one line.
"""

from __future__ import annotations

import importlib
import pkgutil
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Literal

from torch import Tensor, nn

Task = Literal["regression", "classification", "other"]


@dataclass(frozen=True)
class Place:
    """A place where the detach can stand: its name in the code and in links, and the words for it."""

    name: str
    label: str
    mistake: bool = False
    """Whether the right step has no detach here: it then stands only where it is the chosen one."""


@dataclass(frozen=True)
class Choice:
    """One value of an option, as it stands in the code, and the words for it."""

    value: str | int | float | bool
    label: str

    @property
    def text(self) -> str:
        """The value as it stands in links."""
        return str(self.value).lower() if isinstance(self.value, bool) else str(self.value)


RANDOM = Choice("random", "random, from a seed")
"""Start weights that are drawn from the run's seed."""


@dataclass(frozen=True)
class Option:
    """Something besides the detach that the reader can choose. The first choice is the one the file is written with."""

    name: str
    label: str
    choices: tuple[Choice, ...]

    @property
    def constant(self) -> str:
        """The name of the constant in the file."""
        return self.name.upper()

    def chosen(self, text: str) -> Choice:
        """The choice that stands in links as `text`."""
        return next(choice for choice in self.choices if choice.text == text)


@dataclass(frozen=True)
class Measure:
    """What the file's `measure` measures: its name, and which way is good."""

    label: str
    good: Literal["up", "down", "neither"]
    meaning: str = ""
    """What its values mean, in a sentence: which is best, and out of what."""


@dataclass(frozen=True)
class Points:
    """How the answers of a run are seen as points. The names are those of the file's `Data`.

    "regions": the plane of the inputs, parted by the class that the model gives to each place. "cloud": one point an
    answer; where there are more than two numbers, along the two axes on which they scatter most. "values": one number
    a place on a line.
    """

    kind: Literal["regions", "cloud", "values"]
    title: str
    reference: str = ""
    """What the answers are held against: the inputs of "regions", the data of a "cloud", the right "values"."""
    at_length_1: bool = False
    """Whether only the direction of an answer counts."""


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

    `name` is the file's name. `shown_epoch` is the epoch that the data flow opens on. `story` says what the detach
    is for in real code, and `seen_in` names the work that uses it, by title, authors and year. `keeps_others` is
    for a step in which all marks but the mistakes are real detaches and the chosen one is taken away in the other twin.
    """

    name: str
    title: str
    summary: str
    task: Task
    difficulty: int
    """How much a reader must know: experiments stand in this order, the reference lesson at 0, in steps of ten."""
    places: tuple[Place, ...]
    defaults: Defaults
    shown_epoch: int = 1
    start_choices: tuple[Choice, ...] = (RANDOM,)
    """The start weights that a reader can choose, as `make_model` gets them."""
    options: tuple[Option, ...] = ()
    measure: Measure | None = None
    story: str = ""
    seen_in: str = ""
    keeps_others: bool = False
    points: Points | None = None
    """How its answers are seen as points, where they can be."""

    @property
    def starts(self) -> tuple[str, ...]:
        """The names of the start weights, as they stand in links."""
        return tuple(choice.text for choice in self.start_choices)


def detach_here(tensor: Tensor, place: str) -> Tensor:
    """Marks a place where a detach can stand. As it is, it does nothing; `twins.experiment_script` writes it out."""
    del place
    return tensor


def no_grad_here(place: str) -> AbstractContextManager[None]:
    """Marks a block that `torch.no_grad()` can stand around."""
    del place
    return nullcontext()


def freeze_here(module: nn.Module, place: str) -> None:
    """Marks a line that can be `module.requires_grad_(False)`."""
    del module, place


@cache
def experiment_names() -> tuple[str, ...]:
    """The names of all experiments, from the easiest to the hardest."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(names, key=lambda name: (find_experiment(name).difficulty, name)))


@cache
def find_experiment(name: str) -> Experiment:
    """The experiment of that name. Raises `ModuleNotFoundError` for a name that `experiment_names` lacks."""
    found: Experiment = importlib.import_module(f"{__name__}.{name}").EXPERIMENT
    return found
