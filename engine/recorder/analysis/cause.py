"""What is known of an operation that sent zeros back: why, and what to do."""

from __future__ import annotations

from typing import NamedTuple

from ..capture.frames import Line


class Cause(NamedTuple):
    """Half a sentence that says why, and what to do."""

    why: str
    advice: str
    line: Line | None = None
    """The line to blame where it is not the operation's."""
    passes: bool = False
    """Whether nothing is to be mended: one step of training ends it, or an installed package means it so."""
    after: bool = False
    """Whether the gradient came and was made zeros afterwards, so that other calls of the step don't matter."""
