"""The settings of a run: frozen, validated, and the only place where a bound or a choice is written down.

Two runs with equal `Settings` give the same bits. A field left out takes the experiment's own default, so
`Settings(experiment="classifier")` is a whole and sensible run. A value that is not allowed raises
`SettingsError`, which carries the field, what came, and what is allowed.
"""

from __future__ import annotations

import operator
from dataclasses import asdict, dataclass, replace
from typing import Any, SupportsFloat, SupportsIndex

from .experiments import Experiment, experiment_names, find_experiment
from .optimizers import CODE

NOWHERE = "nowhere"
"""The place that means: no detach at all, so that the twins are equal."""

EPOCHS = (1, 500)
LEARNING_RATE = (1e-4, 1.0)
SEED = (0, 9_999)
OPTIMIZERS = tuple(CODE)

_FROM_EXPERIMENT: Any = None
"""Stands for "the experiment's own default" until `__post_init__` has filled it in."""


class SettingsError(ValueError):
    """A setting that is not allowed: `field`, `got` and `allowed` say which, what came and what would do."""

    def __init__(self, field: str, got: object, allowed: str) -> None:
        shown = repr(got)
        if len(shown) > 60:
            shown = f"{shown[:57]}..."
        super().__init__(f"{field}: got {shown}, expected {allowed}.")
        self.field = field
        self.got = got
        self.allowed = allowed


@dataclass(frozen=True)
class Settings:
    """Everything that a twin run depends on.

    `detach` names the place of the detach in the experiment's step, or "nowhere". `start` is one of the
    experiment's own starts, such as "lesson", or "random", which draws the weights from `seed`. `options` are the
    experiment's own, as (name, choice as in links) in its order; those left out take their first choice.
    Raises `SettingsError`.
    """

    experiment: str = "lesson"
    detach: str = _FROM_EXPERIMENT
    epochs: int = _FROM_EXPERIMENT
    learning_rate: float = _FROM_EXPERIMENT
    optimizer: str = _FROM_EXPERIMENT
    start: str = _FROM_EXPERIMENT
    seed: int = 0
    options: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        one_of("experiment", self.experiment, experiment_names())
        defaults = find_experiment(self.experiment).defaults
        for field, value in asdict(defaults).items():
            if getattr(self, field) is None:
                object.__setattr__(self, field, value)
        one_of("detach", self.detach, places(self.experiment))
        object.__setattr__(self, "epochs", whole_number("epochs", self.epochs, EPOCHS))
        object.__setattr__(self, "learning_rate", number("learning_rate", self.learning_rate, LEARNING_RATE))
        one_of("optimizer", self.optimizer, OPTIMIZERS)
        one_of("start", self.start, find_experiment(self.experiment).starts)
        object.__setattr__(self, "seed", whole_number("seed", self.seed, SEED))
        object.__setattr__(self, "options", _options(self.described(), self.options))

    def changed(self, **changes: Any) -> Settings:
        """A copy with some fields changed, validated anew. Another experiment brings its own defaults with it."""
        if changes.get("experiment", self.experiment) != self.experiment:
            return Settings(**{"seed": self.seed, **changes})
        return replace(self, **changes)

    def option(self, name: str) -> str:
        """The choice of one of the experiment's options, as it stands in links."""
        return dict(self.options)[name]

    def choosing(self, name: str, choice: str) -> Settings:
        """A copy with one option chosen."""
        return self.changed(options=tuple((n, choice if n == name else c) for n, c in self.options))

    def described(self) -> Experiment:
        """The experiment that these settings run."""
        return find_experiment(self.experiment)


def _options(experiment: Experiment, got: object) -> tuple[tuple[str, str], ...]:
    """Every option of the experiment with its choice."""
    names = tuple(option.name for option in experiment.options)
    pairs = got if isinstance(got, tuple) else (got,)
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise SettingsError("options", got, "a tuple of (name, choice)")
    for name, _ in pairs:
        one_of("options", name, names or ("none, for this experiment",))
    chosen = dict(pairs)
    return tuple(
        (o.name, one_of(o.name, chosen.get(o.name, o.choices[0].text), tuple(c.text for c in o.choices)))
        for o in experiment.options
    )


def places(experiment: str) -> tuple[str, ...]:
    """Where the detach can stand in an experiment: its own places, then "nowhere"."""
    return (*(place.name for place in find_experiment(experiment).places), NOWHERE)


def one_of(field: str, got: object, allowed: tuple[str, ...]) -> str:
    """`got` if it is one of `allowed`, else `SettingsError`."""
    if not isinstance(got, str) or got not in allowed:
        raise SettingsError(field, got, "one of " + ", ".join(allowed))
    return got


def whole_number(field: str, got: object, bounds: tuple[int, int]) -> int:
    """`got` if it is an int within `bounds`, both included, else `SettingsError`."""
    if (
        isinstance(got, bool)
        or not isinstance(got, SupportsIndex)
        or not bounds[0] <= operator.index(got) <= bounds[1]
    ):
        raise SettingsError(field, got, f"a whole number from {bounds[0]} to {bounds[1]}")
    return operator.index(got)


def number(field: str, got: object, bounds: tuple[float, float]) -> float:
    """`got` as a float if it is finite and within `bounds`, both included, else `SettingsError`."""
    if (
        isinstance(got, bool)
        or not isinstance(got, SupportsFloat)
        or not bounds[0] <= _float(got) <= bounds[1]
    ):
        raise SettingsError(field, got, f"a number from {bounds[0]:g} to {bounds[1]:g}")
    return float(got)


def _float(got: SupportsFloat) -> float:
    """`got` as a float, nan where it is too large to be one."""
    try:
        return float(got)
    except OverflowError:
        return float("nan")
