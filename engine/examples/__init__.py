"""Ready steps to trace: a loss that cannot train, one that trains silently wrong, and one with nothing wrong.

One file each, found by being there; its docstring is its title and its story.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..syntax import parse


@dataclass(frozen=True)
class Example:
    """A ready step: its name, its title (the docstring's first line), the rest of the docstring, its file."""

    name: str
    title: str
    story: str
    path: Path


@cache
def examples() -> tuple[Example, ...]:
    """All ready steps, in the order of their names. Read once: every link that a page draws asks for them."""
    return tuple(_example(path) for path in sorted(Path(__file__).parent.glob("[a-z]*.py")))


def _example(path: Path) -> Example:
    docstring = ast.get_docstring(parse(path.read_text())) or path.stem
    title, _, story = docstring.partition("\n")
    return Example(path.stem, title.rstrip("."), " ".join(story.split()), path)
