"""What a question is made of: a prompt, a script, and four predictions of what the script will measure.

The script is plain torch that a reader can paste and run. It prints what a person wants to see and ends with a
variable named `answer`, computed from what torch did. Each option carries the `answer` that would make it the right one.
Before the prediction a reader sees the script without what would tell: its prints and the lines that make the answer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..settings import Settings

Scalar = bool | int | float | str | None
Answer = Scalar | tuple[Scalar, ...]
"""What a script can measure. A script that ends in an error has the error's type as its answer: "RuntimeError"."""


class Level(IntEnum):
    """How much a question asks for. The first two keep to public, documented torch."""

    FOUNDATIONS = 1
    TRAINING = 2
    RESEARCH = 3

    @property
    def title(self) -> str:
        """Its name on screen."""
        return ("Foundations", "Training", "Patterns and research")[self - 1]


class Topic(Enum):
    """What a question is about, in the order in which the topics build on one another."""

    LESSON = ("The reference lesson", Level.FOUNDATIONS)
    GRAPH = ("Leaves and the graph", Level.FOUNDATIONS)
    DETACH = ("detach and its relatives", Level.FOUNDATIONS)
    LOOP = ("Training loops", Level.TRAINING)
    MEMORY = ("What a graph holds", Level.TRAINING)
    PATTERNS = ("Patterns", Level.RESEARCH)
    RESEARCH = ("Research level", Level.RESEARCH)

    def __init__(self, title: str, level: Level) -> None:
        self.title = title
        self.level = level


@dataclass(frozen=True)
class Option:
    """One prediction: its words, why it is right or what someone who believes it has mixed up, and the answer it predicts."""

    text: str
    explanation: str
    answer: Answer


@dataclass(frozen=True)
class Question:
    """A question of the bank. Which of its options is right, only `prove` can tell."""

    name: str
    topic: Topic
    prompt: str
    snippet: str
    options: tuple[Option, Option, Option, Option]
    step: int = 1
    """How far into its topic it stands: it may lean on questions of earlier steps."""
    picture: Settings | None = None
    """The run whose pipeline is drawn beside the prompt, its gradients hidden until the prediction is made."""

    @property
    def level(self) -> Level:
        """The level of its topic."""
        return self.topic.level

    @property
    def shown(self) -> str:
        """The script as a reader sees it before the prediction: without its prints and without the lines of `answer`."""
        lines = self.snippet.splitlines()
        for first, last, left in _telling(ast.parse(self.snippet).body):
            lines[first:last] = [left] + [_GONE] * (last - first - 1)
        return "\n".join(line for line in lines if line is not _GONE).strip() + "\n"


_GONE = "# gone"


def _telling(block: list[ast.stmt]) -> Iterator[tuple[int, int, str]]:
    """The lines of a block that tell the answer, counted from 0, and what is left in their place.

    A loop that does nothing but tell goes as a whole; another block that would be left empty keeps three dots.
    """
    for statement in block:
        first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
        if _tells(statement):
            yield first, last, _GONE
            continue
        for inner in _blocks(statement):
            yield from _telling(inner)
            if all(map(_tells, inner)):
                yield inner[0].lineno - 1, inner[0].lineno, " " * inner[0].col_offset + "..."


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks that stand under a statement."""
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(statement, name, None):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def _tells(statement: ast.stmt) -> bool:
    """Whether a statement does nothing but print, or set `answer`."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return True
        case ast.Assign(targets=[ast.Name(id="answer")]) | ast.AugAssign(target=ast.Name(id="answer")):
            return True
        case ast.For(body=body, orelse=[]):
            return all(map(_tells, body))
    return False
