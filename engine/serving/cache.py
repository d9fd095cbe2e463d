"""Computed once per key, bounded, and the same for every caller.

A dict of futures under a lock: the first caller of a key computes it, callers that come meanwhile wait for that
one computation, later ones get it at once. When the values together weigh more than the capacity, the one that was
asked for longest ago goes. An error or a stop is never kept: it reaches the caller whose computation it ended, and
one of those who waited computes anew. The values are frozen, so all callers can share them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, TimeoutError
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(frozen=True)
class CacheInfo:
    """How often the cache had the answer, how often it did not, and what it holds now."""

    hits: int
    misses: int
    size: int
    weight: int


class Cache(Generic[Key, Value]):
    """A bounded cache; `weigh` gives a value's weight, in the unit of `capacity` (say, bytes)."""

    def __init__(self, capacity: int, weigh: Callable[[Value], int]) -> None:
        self._capacity = capacity
        self._weigh = weigh
        self._lock = threading.Lock()
        self._done: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._under_way: dict[Key, Future[Value]] = {}
        self._hits = self._misses = self._weight = 0

    def get(
        self, key: Key, compute: Callable[[], Value], waiting: Callable[[], None] = lambda: None
    ) -> Value:
        """The value of `key`, computed by this caller, by another one meanwhile, or earlier.

        `waiting` is called about 20 times a second while another caller computes; what it raises ends the wait.
        """
        while True:
            with self._lock:
                if key in self._done:
                    self._hits += 1
                    self._done.move_to_end(key)
                    return self._done[key][0]
                future = self._under_way.get(key)
                if future is None:
                    mine: Future[Value] = Future()
                    self._under_way[key] = mine
                    self._misses += 1
                    break
            value = self._wait(future, waiting)
            if value is not None:
                return value
        try:
            value = compute()
            weight = self._weigh(value)
        except BaseException:
            with self._lock:
                del self._under_way[key]
            mine.cancel()
            raise
        with self._lock:
            del self._under_way[key]
            self._keep(key, value, weight)
        mine.set_result(value)
        return value

    def __contains__(self, key: Key) -> bool:
        with self._lock:
            return key in self._done

    def info(self) -> CacheInfo:
        """What has been asked and what is held, at this moment."""
        with self._lock:
            return CacheInfo(self._hits, self._misses, len(self._done), self._weight)

    def clear(self) -> None:
        """Forgets every value; counts go on."""
        with self._lock:
            self._done.clear()
            self._weight = 0

    def _wait(self, future: Future[Value], waiting: Callable[[], None]) -> Value | None:
        """The value of another caller's computation, or None where that one ended without."""
        while True:
            try:
                value = future.result(timeout=0.05)
            except TimeoutError:
                waiting()
            except BaseException:
                if not future.cancelled():
                    raise
                return None
            else:
                with self._lock:
                    self._hits += 1
                return value

    def _keep(self, key: Key, value: Value, weight: int) -> None:
        self._done[key] = (value, weight)
        self._weight += weight
        while self._weight > self._capacity and len(self._done) > 1:
            _, (_, gone) = self._done.popitem(last=False)
            self._weight -= gone
