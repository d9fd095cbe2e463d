"""What a reader is looking at, as one frozen value, and how it stands in a link.

`View.from_query` never fails: each part of a link that is not allowed is replaced by the nearest allowed value, or
by the default where it is no finite number, and named in the list of what was ignored. `View.query` writes the link that opens the same view.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

from engine import Settings
from engine.examples import examples
from engine.experiments import Option, experiment_names, find_experiment
from engine.quiz import readable, rounds
from engine.settings import EPOCHS, OPTIMIZERS, SEED, places
from pages.components.shell.tour import STEPS

LEARNING_RATES = (
    *(float(f"{digit}e{power}") for power in (-4, -3, -2, -1) for digit in range(1, 10)),
    1.0,
)
"""The stops of the learning rate's slider, even enough on a log scale."""

Part = Literal["verdict", "story", "code"]
PARTS: tuple[Part, ...] = get_args(Part)
"""What a link can leave out of a page: what sums the run up, what the detach is for, and the script."""

_SETTINGS = ("experiment", "detach", "epochs", "lr", "optimizer", "start", "seed")
_VIEW = (
    *("epoch", "sample", "controls", "round", "answers", "traced"),
    *("sweep", "seeds", "reference", "predict", "tour", "hide"),
)
_LONGEST_SHOWN = 24


@dataclass(frozen=True)
class View:
    """The run, the epoch and sample looked at, the quiz's round and answers, and which of the parts that a reader can show or hide are shown."""

    settings: Settings
    epoch: int
    sample: int = 1
    controls: bool = True
    round: int = 1
    answers: str = ""
    traced: str = ""
    sweep: bool = False
    seeds: bool = False
    reference: bool = False
    predict: bool = False
    """Whether pages ask for a prediction before they show what would tell."""
    tour: int = 0
    """The step of the guided tour that the reader takes, or 0."""
    hidden: tuple[Part, ...] = ()
    """The parts, of `PARTS`, that pages leave out."""

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The view that these settings open on."""
        return cls(settings, min(settings.described().shown_epoch, settings.epochs))

    @classmethod
    def from_query(cls, query: Mapping[str, str], opens_on: str = "lesson") -> tuple[Self, tuple[str, ...]]:
        """The nearest view to a link, and what in the link was ignored, in words that are safe to show.

        A link that says nothing at all opens on the experiment `opens_on`.
        """
        link = _Link(query)
        experiment = link.choice("experiment", experiment_names(), "lesson" if query else opens_on)
        usual = find_experiment(experiment).defaults
        settings = Settings(
            experiment=experiment,
            detach=link.choice("detach", places(experiment), usual.detach),
            epochs=link.whole("epochs", EPOCHS, usual.epochs),
            learning_rate=link.stop("lr", LEARNING_RATES, usual.learning_rate),
            optimizer=link.choice("optimizer", OPTIMIZERS, usual.optimizer),
            start=link.choice("start", find_experiment(experiment).starts, usual.start),
            seed=link.whole("seed", SEED, 0),
            options=tuple(
                (option.name, link.option(option)) for option in find_experiment(experiment).options
            ),
        )
        opened = cls.of(settings)
        view = replace(
            opened,
            epoch=link.whole("epoch", (1, settings.epochs), opened.epoch),
            sample=link.whole("sample", (1, 1_000), 1),
            controls=link.shown("controls", "shown"),
            round=link.whole("round", (1, len(rounds())), 1),
            answers=link.answers("answers"),
            sweep=link.shown("sweep", "hidden"),
            seeds=link.shown("seeds", "hidden"),
            reference=link.shown("reference", "hidden"),
            predict=link.choice("predict", ("", "first"), "") == "first",
            tour=link.whole("tour", (0, len(STEPS)), 0),
            hidden=link.parts("hide"),
            traced=link.choice("traced", ("", *(example.name for example in examples())), ""),
        )
        return view, link.ignored(tuple(name for name, _ in settings.options))

    def with_settings(self, settings: Settings) -> Self:
        """The same view of another run: the epoch is kept where the new run has it."""
        if settings.experiment != self.settings.experiment:
            opened = View.of(settings)
            return replace(self, settings=settings, epoch=opened.epoch, sample=1)
        return replace(self, settings=settings, epoch=min(self.epoch, settings.epochs))

    def opened(self) -> Self:
        """The same view at the epoch and sample that its settings open on."""
        return replace(self, epoch=View.of(self.settings).epoch, sample=1)

    def shows(self, part: Part) -> bool:
        """Whether the pages show that part."""
        return part not in self.hidden

    def query(self) -> dict[str, str]:
        """The link's parameters, all of the settings written out so that a link never changes its meaning."""
        s = self.settings
        query = {
            "experiment": s.experiment,
            "detach": s.detach,
            "epochs": str(s.epochs),
            "lr": f"{s.learning_rate:g}",
            "optimizer": s.optimizer,
            "start": s.start,
            "seed": str(s.seed),
            **dict(s.options),
            "epoch": str(self.epoch),
        }
        optional = {
            "sample": str(self.sample) if self.sample != 1 else "",
            "controls": "" if self.controls else "hidden",
            "round": str(self.round) if self.round != 1 else "",
            "answers": self.answers,
            "sweep": "shown" if self.sweep else "",
            "seeds": "shown" if self.seeds else "",
            "reference": "shown" if self.reference else "",
            "predict": "first" if self.predict else "",
            "tour": str(self.tour) if self.tour else "",
            "hide": ",".join(self.hidden),
            "traced": self.traced if self.traced in (example.name for example in examples()) else "",
        }
        return query | {key: value for key, value in optional.items() if value}


class _Link:
    """Reads a link's parameters one by one and remembers what it had to ignore."""

    def __init__(self, query: Mapping[str, str]) -> None:
        self._query = query
        self._ignored: list[str] = []

    def choice(self, key: str, allowed: tuple[str, ...], usual: str) -> str:
        got = self._query.get(key, usual)
        return got if got in allowed else self._instead(key, got, usual, _listed(allowed))

    def shown(self, key: str, usual: str) -> bool:
        return self.choice(key, ("shown", "hidden"), usual) == "shown"

    def parts(self, key: str) -> tuple[Part, ...]:
        got = self._query.get(key, "")
        named = [part.strip() for part in got.split(",")] if got else []
        known = tuple(part for part in PARTS if part in named)
        if not set(named) <= set(PARTS):
            self._instead(key, got, ",".join(known), f"{', '.join(PARTS)}, parted by commas")
        return known

    def option(self, option: Option) -> str:
        choices = tuple(choice.text for choice in option.choices)
        return self.choice(option.name, choices, choices[0])

    def whole(self, key: str, bounds: tuple[int, int], usual: int) -> int:
        got = self._query.get(key)
        if got is None:
            return usual
        value = _number(got)
        nearest = usual if value is None else round(min(max(value, bounds[0]), bounds[1]))
        if nearest != value:
            self._instead(key, got, str(nearest), f"{bounds[0]} to {bounds[1]}")
        return nearest

    def stop(self, key: str, stops: tuple[float, ...], usual: float) -> float:
        got = self._query.get(key)
        if got is None:
            return usual
        value = _number(got)
        above_zero = stops[0] if value is None else max(value, stops[0])
        nearest = usual if value is None else min(stops, key=lambda stop: abs(math.log(stop / above_zero)))
        if nearest != value:
            self._instead(key, got, f"{nearest:g}", f"{stops[0]:g} to {stops[-1]:g} in the slider's steps")
        return nearest

    def answers(self, key: str) -> str:
        got = self._query.get(key, "")
        held = readable(got)
        if held == got:
            return got
        return self._instead(
            key, got, held, "for each question a dash, a number from 1 to 4 or a letter from a to d"
        )

    def ignored(self, options: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [key for key in self._query if key not in _SETTINGS + _VIEW + options]
        if unknown:
            more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
            self._ignored.append("unknown " + ", ".join(_safe(key) for key in unknown[:3]) + more)
        return tuple(self._ignored)

    def _instead(self, key: str, got: str, used: str, allowed: str) -> str:
        self._ignored.append(f"{key} = “{_safe(got)}” (allowed: {allowed}; shown instead: {used or 'none'})")
        return used


def _listed(allowed: tuple[str, ...]) -> str:
    """The choices that a link can name, the first ones where they are many."""
    named = [choice or "nothing" for choice in allowed]
    return ", ".join(named[:8]) + (f" and {len(named) - 8} more" if len(named) > 8 else "")


def _number(text: str) -> float | None:
    """The finite number that a text spells, or None."""
    try:
        value = float(text[:100])
    except ValueError:
        return None
    written = text.isascii() and "_" not in text
    return value if math.isfinite(value) and len(text) <= 100 and written else None


def _safe(text: str) -> str:
    """A stranger's text, cut short and without any character that could be read as markup."""
    plain = "".join(c if c.isalnum() or c in " .,+-_" else "?" for c in text[:_LONGEST_SHOWN])
    return plain + ("..." if len(text) > _LONGEST_SHOWN else "") or "nothing"
