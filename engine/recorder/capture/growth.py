"""Graphs that grow from call to call: a loss summed with its graph, a list of losses, a state never detached.

After each call the autograd nodes behind every variable are counted, containers and the attributes of the reader's
own objects included. A variable whose count rose with every call, over three calls or more, keeps every graph.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice, pairwise
from types import ModuleType
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from .tensors import grad_fn_of

_MOST = 20_000
"""Nodes and items at which the counting of one variable stops."""


class Growth:
    """Counts after each call, by variable."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}
        self._calls = 0

    def measure(self, variables: Mapping[str, object]) -> None:
        """Counts the nodes behind each variable as it is now."""
        self._calls += 1
        for name, value in variables.items():
            for path, tensors in holders(name, value):
                count = _nodes(tensors)
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
    if isinstance(value, Tensor):
        yield name, [value]
    elif isinstance(value, nn.Module):
        for path, module in value.named_modules():
            for key, held in vars(module).items():
                if not key.startswith("_"):
                    yield ".".join(p for p in (name, path, key) if p), list(_tensors(held, 4))
    elif isinstance(value, Optimizer | type | ModuleType):
        return
    elif hasattr(value, "__dict__") and not callable(value) and not isinstance(value, dict | list):
        for key, held in vars(value).items():
            yield f"{name}.{key}", list(_tensors(held, 4))
    else:
        yield name, list(_tensors(value, 4))


def _tensors(value: object, depth: int) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif not depth:
        return
    elif isinstance(value, dict):
        for item in islice(value.values(), _MOST):
            yield from _tensors(item, depth - 1)
    elif isinstance(value, list | tuple | set | deque):
        for item in islice(value, _MOST):
            yield from _tensors(item, depth - 1)
    elif (
        hasattr(value, "__dict__")
        and not isinstance(value, nn.Module | type | ModuleType)
        and not callable(value)
    ):
        for item in islice(vars(value).values(), _MOST):
            yield from _tensors(item, depth - 1)


def _nodes(tensors: list[Tensor]) -> int:
    todo: list[Any] = [node for t in tensors if (node := grad_fn_of(t)) is not None]
    seen: set[Any] = set()
    while todo and len(seen) < _MOST:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions if following is not None]
    return len(seen)
