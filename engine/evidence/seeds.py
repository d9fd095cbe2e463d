"""Which twin ends better, asked of several seeds: one run has one start, and may be the exception.

Both twins are trained anew with each of the first seeds, everything else as it is set, and judged by what the verdict
judges by: the experiment's own measure, or the loss where it has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ..experiments import RANDOM
from ..settings import NOWHERE, Settings
from ..text import counted, number_text
from ..twins.training import Progress, train
from .verdicts import better, ends

COUNT = 6
"""How many seeds are asked: 0 and the next ones."""


@dataclass(frozen=True)
class OverSeeds:
    """What both twins end with, a seed."""

    settings: Settings
    """Those of the first seed."""
    ends: tuple[tuple[float, float], ...]
    """For each seed from 0 on, the end without the detach and the one with it."""

    @property
    def what(self) -> str:
        """What is compared, in words."""
        measure = self.settings.described().measure
        return measure.label if measure is not None else "loss"

    @property
    def sentence(self) -> str:
        """In how many of the seeds which twin ends better."""
        measure = self.settings.described().measure
        ended = [pair for pair in self.ends if any(map(math.isfinite, pair))]
        gone = len(self.ends) - len(ended)
        diverged = f" With {counted(gone, 'seed')} both twins diverge." if gone else ""
        if not ended:
            return f"With each of {counted(gone, 'seed')} both twins diverge, so neither ends better."
        said = [better(pair, measure) for pair in ended]
        counts = {twin: said.count(twin) for twin in ("without", "with", "neither")}
        good = "higher" if measure is not None and measure.good == "up" else "lower"
        of = f"Of {len(self.ends)} seeds (0 to {len(self.ends) - 1})"
        if all(said[0] == one for one in said):
            which = (
                f"ends {good} {said[0]} the detach" if said[0] != "neither" else "ends alike in both twins"
            )
            agreeing = f"all that do not diverge ({len(said)}) agree" if gone else "all agree"
            return f"{of} {agreeing}: the {self.what}, where {good} is better, {which}.{diverged}"
        alike = f", and alike in {counts['neither']}" if counts["neither"] else ""
        return (
            f"{of}, the {self.what}, where {good} is better, ends {good} with the detach in {counts['with']} and without it in "
            f"{counts['without']}{alike}: the seed decides, not the detach alone.{diverged}"
        )

    @property
    def numbers(self) -> str:
        """Every end, as text."""
        said = (
            f"seed {seed}: {number_text(without)} without, {number_text(with_)} with"
            for seed, (without, with_) in enumerate(self.ends)
        )
        return f"The {self.what} in the last epoch: {'; '.join(said)}."


def refusal(settings: Settings) -> str | None:
    """Why it makes no sense to ask several seeds, in one sentence, or None."""
    measure = settings.described().measure
    if settings.detach == NOWHERE:
        return "The detach stands nowhere, so both twins are the same run with every seed."
    if measure is not None and measure.good == "neither":
        return f"Neither end is better: of the {measure.label}, neither more nor less is good."
    if settings.start != RANDOM.text:
        return "These start weights are given, not drawn, so every seed gives the same run."
    return None


def first_seed(settings: Settings) -> Settings:
    """The settings that this is kept under: their own seed plays no part."""
    return settings.changed(seed=0)


def over_seeds(settings: Settings, progress: Progress | None = None) -> OverSeeds:
    """Both twins with each seed. What `progress` raises stops it. Raises `ValueError` where `refusal` says so."""
    if said := refusal(settings):
        raise ValueError(said)
    found = [ends(train(settings.changed(seed=seed), _share(progress, seed))) for seed in range(COUNT)]
    return OverSeeds(first_seed(settings), tuple(found))


def _share(progress: Progress | None, seed: int) -> Callable[[int, int], None] | None:
    """Reports the epochs of this seed's run as a part of all of them."""
    if progress is None:
        return None
    return lambda done, total: progress(seed * total + done, COUNT * total)
