"""Which optimizer steps make one step of a training: a turn, in which each optimizer that takes part has stepped.

A GAN's step is one of the discriminator's and one of the generator's, and with five critic steps a generator step it
is six. Which optimizers take part shows in the first turn: all that there are, unless one of them lets the others
pass `PATIENCE` times, as one that belongs to a later phase of the training does.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

PATIENCE = 10
"""How often an optimizer may step again while another is waited for, before the turn ends without that one."""


class Moment(Enum):
    """What an optimizer's step means for the turn."""

    WITHIN = "the turn goes on"
    AGAIN = "the first turn may begin anew here: an optimizer steps again before all have"
    END = "the turn ends"


class Turns:
    """Counts turns. Optimizers are told apart by numbers."""

    def __init__(self) -> None:
        self.made = 0
        self._expected: set[int] | None = None
        self._stepped: set[int] = set()
        self._repeats = 0

    def step(self, one: int, alive: Iterable[int]) -> Moment:
        """An optimizer has stepped; `alive` are all that there are, which is asked for at the first step alone."""
        if self._expected is None:
            self._expected = {*alive, one}
        again = one in self._stepped
        self._stepped.add(one)
        self._repeats += again
        if self._stepped >= self._expected or self._repeats >= PATIENCE:
            self._expected = self._stepped
            self._stepped, self._repeats = set(), 0
            self.made += 1
            return Moment.END
        return Moment.AGAIN if again and not self.made else Moment.WITHIN
