"""The proof of a question: run its script, read what it measured, and see which option predicted that.

The script runs in a namespace of its own with a `print` of its own, so that many readers can be graded at once and none
of them sees another's lines; replacing `sys.stdout` would be one change for all threads. Grad mode is set for this run
alone and put back after it. A script that needs random numbers brings its own `torch.Generator`.
"""

from __future__ import annotations

import builtins
import io
from dataclasses import dataclass
from typing import Any

import torch

from .definition import Answer, Question


@dataclass(frozen=True)
class Proof:
    """What came of a script: the lines it printed, what it measured, and the index of the option that is right.

    `error` is the type and the message of the error that ended the script, or None. It is also the last line of `output`.
    """

    output: str
    answer: Answer
    right: int
    error: str | None = None


def prove(question: Question) -> Proof:
    """Run the question's script and find the one option whose answer is the script's.

    Raises `ValueError` if the script measures nothing, or if not exactly one option has its answer.
    """
    lines, namespace, caught = _run(question)
    error = None
    if caught is not None:
        error = f"{type(caught).__name__}: {caught}"
        lines = f"{lines}\n{error}" if lines else error
        answer: Answer = type(caught).__name__
    elif "answer" in namespace:
        answer = namespace["answer"]
    else:
        raise ValueError(f"the script of {question.name!r} never sets `answer`")
    right = [index for index, option in enumerate(question.options) if _same(option.answer, answer)]
    if len(right) != 1:
        expected = ", ".join(repr(option.answer) for option in question.options)
        raise ValueError(
            f"the script of {question.name!r} gave {error or repr(answer)}: "
            f"{len(right)} of the options ({expected}) say that, and it must be exactly one"
        )
    return Proof(lines, answer, right[0], error)


def _run(question: Question) -> tuple[str, dict[str, Any], Exception | None]:
    """The lines that the script prints, the names that it leaves behind, and the error that ended it, if one did."""
    printed = io.StringIO()

    def print_here(*values: object, sep: str | None = " ", end: str | None = "\n", **_: object) -> None:
        builtins.print(*values, sep=sep, end=end, file=printed)

    namespace: dict[str, Any] = {"__name__": "__main__", "print": print_here}
    code = compile(question.snippet, f"<{question.name}>", "exec", dont_inherit=True)
    caught: Exception | None = None
    with torch.inference_mode(False), torch.enable_grad():
        try:
            exec(code, namespace)
        except Exception as error:
            caught = error.with_traceback(None)
    return printed.getvalue().rstrip(), namespace, caught


def _same(predicted: Answer, measured: Answer) -> bool:
    """Equal in value and in type: True is not 1 here, though Python holds them equal."""
    return repr(predicted) == repr(measured) and type(predicted) is type(measured)
