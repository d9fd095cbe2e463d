"""What a question is made of: a prompt, a script, and four predictions of what the script will measure.

The script is plain torch that a reader can paste and run. It prints what a person wants to see and ends with a
variable named `answer`, computed from what torch did. Each option carries the `answer` that would make it the right one.
"""

from __future__ import annotations

from dataclasses import dataclass

Scalar = bool | int | float | str | None
Answer = Scalar | tuple[Scalar, ...]
"""What a script can measure. A script that ends in an error has the error's type as its answer: "RuntimeError"."""


@dataclass(frozen=True)
class Option:
    """One prediction: its words, why it is right or wrong, and the answer that it predicts."""

    text: str
    explanation: str
    answer: Answer


@dataclass(frozen=True)
class Question:
    """A question of the bank. Which of its options is right, only `prove` can tell."""

    name: str
    topic: str
    prompt: str
    snippet: str
    options: tuple[Option, Option, Option, Option]
