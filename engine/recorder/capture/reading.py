"""Reading the reader's objects, whatever they are: nothing that one of them does may end the run.

A weak proxy passes for the object behind it and can't be hashed; a lazy object may raise as soon as anything is asked
of it, `isinstance` included, which asks for `__class__`. So each object goes through `behind` before it is asked
what it is, and containers and attributes are read past the methods of the reader's own.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from torch import Tensor, nn

_PROXIES = (weakref.ProxyType, weakref.CallableProxyType)


def behind(value: object) -> object:
    """The object itself, that behind a weak proxy included; None for one that is gone or won't say what it is."""
    try:
        if type(value) in _PROXIES:
            value = value.__repr__.__self__  # type: ignore[attr-defined]  # a method found through the proxy knows it
            if type(value) in _PROXIES:
                return None
        value.__class__  # noqa: B018
    except Exception:
        return None
    return value


def attributes(value: object) -> dict[str, object]:
    """An object's own attributes, those in slots included, read past its `__getattr__` and its properties."""
    found: dict[str, object] = {}
    for kind in type(value).__mro__:
        own = vars(kind)
        for slot in _as_tuple(own.get("__slots__", ())):
            try:
                if slot not in ("__dict__", "__weakref__"):
                    found[slot] = behind(own[slot].__get__(value))
            except Exception:  # a slot that is not filled, or is none
                continue
    try:
        found.update(
            (key, behind(held)) for key, held in dict(object.__getattribute__(value, "__dict__")).items()
        )
    except Exception:
        return found
    return found


def elements(value: object, most: int) -> list[object]:
    """The first elements of a list, tuple, set or deque, or the values of a dictionary."""
    return [item for _, item in keyed(value, most)]


def keyed(value: object, most: int) -> list[tuple[str, object]]:
    """The same, each with what stands in brackets to get at it: a key or a number."""
    if isinstance(value, dict):
        return [
            (_shown(key, number), behind(item))
            for number, (key, item) in enumerate(list(islice(dict.items(value), most)))
        ]
    return [(str(number), behind(item)) for number, item in enumerate(_sequence(value, most))]


_READERS: dict[type, Any] = {kind: kind.__iter__ for kind in (list, tuple, set, frozenset, deque)}


def _sequence(value: object, most: int) -> Iterator[object]:
    read = next((read for kind, read in _READERS.items() if isinstance(value, kind)), None)
    return iter(()) if read is None else islice(read(value), most)


def _shown(key: object, number: int) -> str:
    """A key as it is written in code; the representation of a tensor or of an object of the reader's own is no name."""
    if type(key) in (str, int, float, bool, bytes, type(None)):
        return repr(key)
    if isinstance(behind(key), Tensor | nn.Module):
        return f"{type(key).__name__} {number}"
    try:
        shown = repr(key)
    except Exception:
        return f"{type(key).__name__} {number}"
    return shown if len(shown) <= 80 else f"{type(key).__name__} {number}"


def _as_tuple(slots: object) -> tuple[str, ...]:
    try:
        return (slots,) if isinstance(slots, str) else tuple(slots)  # type: ignore[arg-type]
    except Exception:
        return ()
