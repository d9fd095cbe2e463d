"""A reader's answers as one short string, a character for each question of the bank in the order of its file names.

    "-"           not answered yet
    "1" to "4"    the option chosen at the first try
    "a" to "d"    the option chosen at a later try

Only a question whose last answer was wrong is asked again. So a letter also says that the first try was wrong, and one
character is enough for both: the score of the first tries, and what is still due. Which option is right is decided by
the proof alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from .definition import Question
from .finding import questions
from .proof import Proof, prove

OPEN, FIRST, LATER = "-", "1234", "abcd"


@lru_cache(maxsize=128)
def proof_of(question: Question) -> Proof:
    """The proof of a question: torch runs its script, once for everybody, since it always measures the same."""
    return prove(question)


def readable(text: str) -> str:
    """What a text holds of a reader's answers: a character that stands for none leaves its question open.

    So one slip in a link costs one answer. A text that is readable throughout comes back as it is.
    """
    known = OPEN + FIRST + LATER
    return "".join(mark if mark in known else OPEN for mark in text[: len(questions())])


@dataclass(frozen=True)
class Answers:
    """The answers to the questions of the bank; `text` is the string that stands in a link."""

    text: str = ""

    def option(self, question: Question) -> int | None:
        """The index of the option that was chosen last, or None where the question is still open."""
        mark = self._mark(question)
        return None if mark == OPEN else (FIRST + LATER).index(mark) % len(FIRST)

    def answered(self, question: Question) -> bool:
        """Whether there is an answer, right or wrong."""
        return self._mark(question) != OPEN

    def repeated(self, question: Question) -> bool:
        """Whether the last answer came at a later try, so that the first one was wrong."""
        return self._mark(question) in LATER

    def mastered(self, question: Question) -> bool:
        """Whether the last answer was right."""
        return self.answered(question) and self.option(question) == proof_of(question).right

    def right_at_first(self, question: Question) -> bool:
        """Whether the first answer was right."""
        return self.mastered(question) and not self.repeated(question)

    def due(self, question: Question) -> bool:
        """Whether the question is to be asked again: its last answer was wrong."""
        return self.answered(question) and not self.mastered(question)

    def choosing(self, question: Question, option: int) -> Answers:
        """The answers with one more, or with another one after a wrong one."""
        marks = list(self.text.ljust(len(questions()), OPEN))
        marks[_places()[question.name]] = (LATER if self.answered(question) else FIRST)[option]
        return Answers("".join(marks))

    def _mark(self, question: Question) -> str:
        place = _places()[question.name]
        return self.text[place : place + 1] or OPEN


@lru_cache(maxsize=1)
def _places() -> dict[str, int]:
    """Each question's place in the string."""
    return {question.name: place for place, question in enumerate(questions())}
