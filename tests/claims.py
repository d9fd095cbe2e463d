"""Lists every claim that the app makes of itself, and the test or proof that backs it: `python -m tests.claims`.

A claim is a sentence of an experiment's story or summary or of what its measure means, a verdict's word, a row or a note of the
reference table, a question of the quiz, a meaning in the glossary, or an answer of the tour. A test says which it checks:

    @backs("simsiam.story", "Without it the loss is lower")

`backs` takes the place and the starts of the sentences. A question, a meaning and an answer of the tour are each proved by
a program of their own, which one test runs for all of them (`PROVERS`). What says why somebody wants something is no claim: `CONTEXT` names those sentences, and nothing else may stand there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TypeVar, get_args

from engine.evidence.reference import NOTES, reference_table
from engine.evidence.verdicts import Kind
from engine.experiments import experiment_names, find_experiment
from engine.glossary import GLOSSARY
from engine.quiz import questions
from pages.components.shell.tour import STEPS

Test = TypeVar("Test", bound=Callable[..., object])
TESTS = Path(__file__).parent

CONTEXT = {
    "classifier.story": ("A small classifier on the features",),
    "optimizer_trap.story": ("When a part of a model",),
    "td_target.story": ("In reinforcement learning a network",),
    "simsiam.story": ("Self-supervised learning wants",),
}
"""Sentences that name a wish, a habit or a symbol, which no run could show to be wrong."""

PROVERS = {
    "quiz": "tests/engine/quiz/test_bank.py::test_exactly_one_option_is_proved_right",
    "glossary": "tests/engine/test_glossary.py::test_the_program_of_a_word_proves_it",
    "tour": "tests/pages/components/shell/test_tour.py::test_the_answer_of_a_step_is_proved",
}
"""Where the claims of a place have programs of their own: the test that runs each of them."""


@dataclass(frozen=True)
class Claim:
    """A sentence on screen, or the name of what is measured there."""

    place: str
    text: str


@dataclass(frozen=True)
class Backing:
    """A test, and the claim that it checks, by its place and its start."""

    place: str
    start: str
    test: str

    def covers(self, claim: Claim) -> bool:
        """Whether this is the claim that the test checks."""
        return claim.place == self.place and claim.text.startswith(self.start)


_declared: set[Backing] = set()


def backs(place: str, *starts: str) -> Callable[[Test], Test]:
    """Declares that a test checks the claims that stand at this place and start like this."""

    def declare(test: Test) -> Test:
        path = f"{test.__module__.replace('.', '/')}.py::{test.__name__}"
        _declared.update(Backing(place, start, path) for start in starts)
        return test

    return declare


def backings() -> tuple[Backing, ...]:
    """All that the tests declare."""
    for path in sorted((TESTS / "engine").rglob("test_*.py")):
        if "@backs(" in path.read_text("utf-8"):
            import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))
    return tuple(sorted(_declared, key=lambda backing: (backing.place, backing.start, backing.test)))


def claims() -> tuple[Claim, ...]:
    """All that has to be backed by a test of its own."""
    return tuple(claim for claim in everything_said() if not is_context(claim))


def is_context(claim: Claim) -> bool:
    """Whether a sentence is none that a run could show to be wrong."""
    return claim.text.startswith(CONTEXT.get(claim.place, ("\0",)))


def everything_said() -> Iterator[Claim]:
    """Every sentence that could be a claim."""
    for name in experiment_names():
        found = find_experiment(name)
        yield from _sentences(f"{name}.summary", found.summary)
        yield from _sentences(f"{name}.story", found.story)
        if found.measure is not None:
            yield from _sentences(f"{name}.measure", found.measure.meaning)
    yield from (Claim("verdict", kind) for kind in get_args(Kind))
    yield from (Claim("reference", row.name) for row in reference_table())
    for note in NOTES:
        yield from _sentences("reference.notes", note)


def proved() -> Iterator[Claim]:
    """Every claim that has a program of its own."""
    yield from (Claim("quiz", question.name) for question in questions())
    yield from (Claim("glossary", f"{term.name}: {term.meaning}") for term in GLOSSARY)
    yield from (Claim("tour", f"{step.title}: {step.answer}") for step in STEPS)


def _sentences(place: str, text: str) -> Iterator[Claim]:
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z`*(])", text)
    return (Claim(place, sentence) for sentence in parts if sentence)


def main() -> int:
    """Prints each claim with what backs it; returns how many have nothing."""
    declared, bare = backings(), 0
    for claim in claims():
        tests = [backing.test for backing in declared if backing.covers(claim)]
        bare += not tests
        print(f"{claim.place}: {claim.text}")
        print("".join(f"    {test}\n" for test in tests) or "    NOTHING BACKS THIS\n", end="")
    programs = tuple(proved())
    for claim in programs:
        print(f"{claim.place}: {claim.text}\n    its own program, run by {PROVERS[claim.place]}")
    print(
        f"\n{len(claims())} claims, {bare} without a test; {len(programs)} more, each proved by its program."
    )
    return bare


if __name__ == "__main__":
    import sys

    from tests import (
        claims as registered,
    )  # the module that the tests declare into, not this one run as a script

    sys.exit(bool(registered.main()))
