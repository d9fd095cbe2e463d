"""Graphs that grow from call to call: a loss summed with its graph, a list of losses, a state never detached.

After each call the autograd nodes behind every variable are counted, containers and the attributes of the reader's
own objects included. A variable whose count rose with every call, over three calls or more, keeps every graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import islice, pairwise
from operator import or_
from types import ModuleType
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from .names import modules_of
from .postorder import postorder
from .reading import attributes, behind, elements
from .tensors import grad_fn_of

_MOST = 20_000
"""Nodes and items at which the counting of one variable stops."""
_LEVELS = 4
"""How deep objects and containers within each other are looked into."""


class Growth:
    """Counts after each call, by variable."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}
        self._calls = 0

    def measure(self, variables: Mapping[str, object]) -> None:
        """Counts the nodes behind each variable as it is now."""
        self._calls += 1
        held = [one for name, value in variables.items() for one in holders(name, value)]
        roots = [[node for t in tensors if (node := grad_fn_of(t)) is not None] for _, tensors in held]
        for (path, _), count in zip(held, _numbers_of_nodes(roots), strict=True):
            if count:
                before = self._counts.setdefault(path, [0] * (self._calls - 1))
                before.append(count)

    def growing(self) -> tuple[str, ...]:
        """The variables whose count rose with every call."""
        if self._calls < 3:
            return ()
        return tuple(
            name
            for name, counts in self._counts.items()
            if len(counts) == self._calls and all(a < b for a, b in pairwise(counts))
        )


def holders(name: str, value: object) -> Iterator[tuple[str, list[Tensor]]]:
    """A variable with the tensors it holds; an object's attributes count as variables of their own."""
    value = behind(value)
    if isinstance(value, Tensor):
        yield name, [value]
    elif isinstance(value, nn.Module):
        for path, module in modules_of(name, value):
            for key, held in attributes(module).items():
                if not key.startswith("_"):
                    yield ".".join(p for p in (path, key) if p), _tensors(held)
    elif isinstance(value, Optimizer | type | ModuleType):
        return
    elif isinstance(value, dict | list) or not (own := _opened(value)):
        yield name, _tensors(value)
    else:
        for key, held in own.items():
            yield f"{name}.{key}", _tensors(held)


def _tensors(value: object) -> list[Tensor]:
    """The tensors in a value, level by level, each object looked into once: objects may lead back to each other."""
    found: list[Tensor] = []
    level, seen = [value], set[int]()
    for _ in range(_LEVELS):
        below: list[object] = []
        for item in level:
            if isinstance(item, Tensor):
                found.append(item)
            elif id(item) not in seen and len(seen) < _MOST:
                seen.add(id(item))
                below += elements(item, _MOST) or _opened(item).values()
        level = below
    return found + [item for item in level if isinstance(item, Tensor)]


def _opened(value: object) -> dict[str, object]:
    """The attributes of an object that is looked into: none of a module, a function or a plain value."""
    if isinstance(value, nn.Module | type | ModuleType | str | bytes | int | float | None) or callable(value):
        return {}
    return attributes(value)


def _numbers_of_nodes(roots: list[list[Any]]) -> list[int]:
    """How many nodes are behind each of several variables' nodes.

    Thousands of variables may hold tensors of one graph. Then that is walked once, and what is behind a node is the
    bits of a number; unless it is so large that these would take more memory than the time is worth.
    """
    several = sum(map(bool, roots)) > 1
    order = _ordered([node for nodes in roots for node in nodes]) if several else None
    if order is None:
        return [_walked(nodes) for nodes in roots]
    behind: dict[Any, int] = {}
    for number, node in enumerate(order):
        bits = 1 << number
        for following in _behind(node):
            bits |= behind[following]
        behind[node] = bits
    return [reduce(or_, map(behind.__getitem__, nodes), 0).bit_count() for nodes in roots]


def _ordered(roots: list[Any]) -> list[Any] | None:
    """The nodes behind `roots`, each after all that are behind it; None where there are too many."""
    order = list(islice(postorder(roots, _behind), _MOST))
    return order if len(order) < _MOST else None


def _behind(node: Any) -> list[Any]:
    return [following for following, _ in node.next_functions if following is not None]


def _walked(nodes: list[Any]) -> int:
    todo, seen = list(nodes), set[Any]()
    while todo and len(seen) < _MOST:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += _behind(node)
    return len(seen)
