"""A walk through a graph without circles, from its ends to where it begins, and back."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def postorder(ends: Iterable[Node], before: Callable[[Node], Iterable[Node]]) -> Iterator[Node]:
    """All that leads to `ends` and the ends themselves, each once and after all that is `before` it."""
    todo = list(ends)
    opened, closed = set[Node](), set[Node]()
    while todo:
        one = todo[-1]
        if one in closed:
            todo.pop()
        elif one in opened:
            todo.pop()
            closed.add(one)
            yield one
        else:
            opened.add(one)
            todo += before(one)
