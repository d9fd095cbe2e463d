"""`functools.cached_property` without the lock that it takes before Python 3.12, which is dearer than most answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class kept(Generic[T]):  # noqa: N801 (a decorator)
    """A property that is worked out when it is asked for first, and kept."""

    def __init__(self, work: Callable[[Any], T]) -> None:
        self._work, self._name, self.__doc__ = work, "", work.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, asked: None, owner: type) -> Self: ...

    @overload
    def __get__(self, asked: object, owner: type) -> T: ...

    def __get__(self, asked: object | None, owner: type) -> Self | T:
        if asked is None:
            return self
        found = asked.__dict__[self._name] = self._work(asked)
        return found
