"""The bank in order: every file of `engine/quiz/bank/`, three questions a round.

The order is that of the file names, `q_01_...` first, so the number in a name is the place in the quiz. A reader's
answers are kept by place: a new question takes the next free number, and no old one moves.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache

from . import bank
from .definition import Question

ROUND_SIZE = 3


@cache
def questions() -> tuple[Question, ...]:
    """Every question, in the order of the rounds."""
    names = sorted(module.name for module in pkgutil.iter_modules(bank.__path__))
    return tuple(importlib.import_module(f"{bank.__name__}.{name}").QUESTION for name in names)


def question(name: str) -> Question:
    """The question of that name. Raises `ValueError`, with the nearest names, where there is none."""
    named = {each.name: each for each in questions()}
    if name not in named:
        near = difflib.get_close_matches(name, named, cutoff=0.0)
        raise ValueError(f"no question is named {name!r}; the nearest names are {', '.join(near)}")
    return named[name]


@cache
def rounds() -> tuple[tuple[Question, ...], ...]:
    """The questions in rounds of three; the last round has what is left."""
    bank_of_all = questions()
    return tuple(bank_of_all[start : start + ROUND_SIZE] for start in range(0, len(bank_of_all), ROUND_SIZE))


def round_of(n: int) -> tuple[Question, ...]:
    """The questions of round `n`, counted from 1. Raises `ValueError` where there is no such round."""
    if not 1 <= n <= len(rounds()):
        raise ValueError(f"there is no round {n}; the rounds are 1 to {len(rounds())}")
    return rounds()[n - 1]
