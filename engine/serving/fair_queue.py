"""Lets one computation in at a time, in a fair order.

Threads that train together fight over the interpreter's lock and all of them end later, so one trains and the others
wait. Next is the one whose owner (a visitor's session) was served longest ago, and among equals the one who came
first: a visitor who asks for much waits behind those who ask for little. One owner can have only so many waiting;
when it asks for more, its oldest gives way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

MOST_WAITING = 3
"""Computations of one owner that can wait at the same time."""
_TICK = 0.05
"""Seconds after which a waiting caller is told its place again, and can be stopped."""


class TooMuchWaiting(Exception):
    """An owner asked for more than can wait, and this, its oldest, gave way; the message says so in one sentence."""


@dataclass(eq=False)
class _Ticket:
    owner: Hashable
    number: int
    called: threading.Event = field(default_factory=threading.Event)
    """Set when it is this ticket's turn, or when it has been sent away."""
    sent_away: bool = False


class Gate:
    """One at a time, one owner after another."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self._most = most_waiting
        self._lock = threading.Lock()
        self._waiting: list[_Ticket] = []
        self._inside: _Ticket | None = None
        self._served: dict[Hashable, int] = {}
        self._count = 0

    @contextmanager
    def entered(
        self, owner: Hashable = None, waiting: Callable[[int], None] = lambda ahead: None
    ) -> Iterator[None]:
        """Runs its body when it is this caller's turn.

        `waiting` is called about 20 times a second with the number of computations that go first; what it raises
        gives the place up. Raises `TooMuchWaiting` where the owner has come to want more than can wait: its oldest gives
        way, as what a reader asked for last is what is wanted.
        """
        ticket = self._queue(owner)
        try:
            while not ticket.called.wait(_TICK):
                waiting(self.ahead_of(owner, ticket.number))
            if ticket.sent_away:
                raise TooMuchWaiting(
                    f"You have asked for more than {self._most} computations that wait: this one, the oldest, gave way to the others."
                )
            yield
        finally:
            self._leave(ticket)

    def ahead_of(self, owner: Hashable, number: int) -> int:
        """How many computations go before the one with that number, the one under way included."""
        with self._lock:
            order = self._order()
            before = next((place for place, t in enumerate(order) if t.number == number), 0)
            return before + (self._inside is not None)

    def _queue(self, owner: Hashable) -> _Ticket:
        with self._lock:
            mine = [ticket for ticket in self._waiting if ticket.owner == owner]
            if len(mine) >= self._most:
                self._waiting.remove(mine[0])
                mine[0].sent_away = True
                mine[0].called.set()
            self._count += 1
            ticket = _Ticket(owner, self._count)
            self._waiting.append(ticket)
            self._call_next()
            return ticket

    def _call_next(self) -> None:
        """Lets the next one in where nobody is inside. Called under the lock."""
        if self._inside is not None or not self._waiting:
            return
        ticket = self._inside = self._order()[0]
        self._waiting.remove(ticket)
        self._count += 1
        self._served[ticket.owner] = self._count
        ticket.called.set()

    def _order(self) -> list[_Ticket]:
        """The waiting tickets, next first: each owner's first, by when the owner was served, then each one's second."""
        turn: dict[Hashable, int] = {}
        keyed = []
        for ticket in self._waiting:
            rank = turn[ticket.owner] = turn.get(ticket.owner, -1) + 1
            keyed.append((rank, self._served.get(ticket.owner, 0), ticket.number, ticket))
        return [ticket for *_, ticket in sorted(keyed, key=lambda item: item[:3])]

    def _leave(self, ticket: _Ticket) -> None:
        with self._lock:
            if self._inside is ticket:
                self._inside = None
            elif ticket in self._waiting:
                self._waiting.remove(ticket)
            if len(self._served) > 1_000:
                owners = {t.owner for t in self._waiting}
                self._served = {owner: n for owner, n in self._served.items() if owner in owners}
            self._call_next()
