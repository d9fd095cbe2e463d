"""The bank in order: every file of `engine/quiz/bank/`, in rounds of a topic each.

The rounds go from topic to topic, in the order in which these build on one another, and within a topic by the
questions' steps, equal ones by the numbers of the files. A reader's answers are kept by a question's place among the
file names: a new question takes the next free number, and no old one moves.
"""

from __future__ import annotations

import difflib
import importlib
import math
import pkgutil
from functools import cache

from . import bank
from .definition import Question, Topic

LARGEST_ROUND = 4


@cache
def questions() -> tuple[Question, ...]:
    """Every question, in the order of the file names: the order of the answers in a link."""
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
    """The questions in rounds of about equal length, none of them with a single question."""
    found: list[tuple[Question, ...]] = []
    for topic in Topic:
        asked = sorted((each for each in questions() if each.topic is topic), key=lambda each: each.step)
        count = math.ceil(len(asked) / LARGEST_ROUND)
        edges = [len(asked) * turn // count for turn in range(count + 1)]
        found += [tuple(asked[edges[turn] : edges[turn + 1]]) for turn in range(count)]
    return tuple(found)


def round_of(n: int) -> tuple[Question, ...]:
    """The questions of round `n`, counted from 1. Raises `ValueError` where there is no such round."""
    if not 1 <= n <= len(rounds()):
        raise ValueError(f"there is no round {n}; the rounds are 1 to {len(rounds())}")
    return rounds()[n - 1]
