"""Lets one page draw at a time, the one that came first.

Runs that draw together share the interpreter and all end late, at the same moment; one after the other, each ends as
early as it can. A turn is given up while a result is computed or waited for. Turns only order the runs: whoever has
waited too long draws all the same, so that nothing can hold up the rest for good.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 2.0
"""Seconds after which a run no longer waits for its turn."""


class Turns:
    """A queue of threads, of which one is let through at a time."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._lock = threading.Lock()
        self._queue: deque[threading.Event] = deque()
        self._taken = False
        self._mine = threading.local()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Runs its body in this thread's turn."""
        self._mine.turn = self._take()
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def given_up(self) -> Iterator[None]:
        """Runs its body outside of the turn, where this thread has one, and takes a new one afterwards."""
        had = self._leave()
        try:
            yield
        finally:
            if had:
                self._mine.turn = self._take()

    def _take(self) -> bool:
        """Waits for the turn; False where it has not come in time."""
        with self._lock:
            if not self._taken:
                self._taken = True
                return True
            called = threading.Event()
            self._queue.append(called)
        if called.wait(self._patience):
            return True
        with self._lock:
            if called.is_set():
                return True
            self._queue.remove(called)
            return False

    def _leave(self) -> bool:
        """Gives this thread's turn, if it has one, to the next."""
        if not getattr(self._mine, "turn", False):
            return False
        self._mine.turn = False
        with self._lock:
            if self._queue:
                self._queue.popleft().set()
            else:
                self._taken = False
        return True


turns = Turns()
"""The turns of this process."""
