"""What a recording may be asked for: each mistake is named in one sentence, before it can pass unseen."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable
from types import FunctionType

from torch import nn
from torch.optim import Optimizer

from .names import Names
from .reading import behind

_OTHER = (
    inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ITERABLE_COROUTINE | inspect.CO_ASYNC_GENERATOR
)
_SHOWN = 8
"""Known names that a refusal lists."""


def optimizers_in(given: object) -> tuple[Optimizer, ...]:
    """The optimizers in an argument `optimizer`: one, several or None. Raises TypeError for anything else."""
    if given is None:
        return ()
    given = behind(given)
    # Some modules can be gone through like a list; they are meant as one.
    several = given if isinstance(given, Iterable) and not isinstance(given, nn.Module) else (given,)
    found: list[Optimizer] = []
    for one in map(behind, several):
        if not isinstance(one, Optimizer):
            raise TypeError(
                f"optimizer: got {_kind(one)}, expected a torch.optim.Optimizer or a list of them."
            )
        found.append(one)
    return tuple(found)


def constants_in(given: object) -> tuple[str, ...]:
    """The names in an argument `expect_constant`. Raises TypeError where it is no list of names."""
    found = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (None,)
    if not all(isinstance(name, str) for name in found):
        raise TypeError(
            f"expect_constant: got {given!r:.80}, expected a list of names such as ['net.weight', 'net']."
        )
    return tuple(str(name) for name in found)


def is_meant(name: str, said: Iterable[str]) -> bool:
    """Whether a parameter is one of those that were `said`, by its own name or by that of a module around it."""
    return any(name == one or name.startswith(one + ".") for one in said)


def check_constants(said: Collection[str], names: Names, coming: Collection[str] = ()) -> None:
    """Raises ValueError for a name that nothing has, unless it begins with a variable that may still be `coming`."""
    if not said:
        return
    known = {*names.variables, *names.modules.values(), *names.tensors.values()}
    for one in said:
        first = one.partition(".")[0]
        waits = first in coming and first not in names.variables
        if waits or one in known or any(is_meant(name, (one,)) for name in names.parameters):
            continue
        there = list(names.parameters)
        more = f" and {len(there) - _SHOWN} more" if len(there) > _SHOWN else ""
        raise ValueError(
            f"expect_constant: there is no parameter {one!r}; there are {', '.join(there[:_SHOWN]) or 'none'}{more}."
        )


def no_plain_function(step: object) -> str:
    """Why a function can't be a step since calling it runs none of it, or "" where it can."""
    if type(step) is FunctionType and not step.__dict__ and not step.__code__.co_flags & _OTHER:
        return ""
    if inspect.iscoroutinefunction(step) or inspect.isasyncgenfunction(step):
        return "is an `async def`, not a plain function that returns the loss"
    if inspect.isgeneratorfunction(step):
        return "is a generator (it has a `yield`), not a plain function that returns the loss"
    return ""


def _kind(value: object) -> str:
    return (
        f"{'the class ' if isinstance(value, type) else ''}{getattr(value, '__name__', type(value).__name__)}"
    )
