"""Lets one computation in at a time, in a fair order.

Threads that train together fight over the interpreter's lock and all of them end later, so one trains and the others
wait. Next is the one whose owner (a visitor's session) was served longest ago, and among equals the one who came
first: a visitor who asks for much waits behind those who ask for little. One owner can have only so many waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

MOST_WAITING = 3
"""Computations of one owner that can wait at the same time."""
_TICK = 0.05
"""Seconds after which a waiting caller is told its place again, and can be stopped."""


class TooMuchWaiting(Exception):
    """An owner asked for more while enough of its computations were waiting; the message says so in one sentence."""


@dataclass(eq=False)
class _Ticket:
    owner: Hashable
    number: int


class Gate:
    """One at a time, one owner after another."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self._most = most_waiting
        self._changed = threading.Condition()
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
        gives the place up. Raises `TooMuchWaiting` where the owner has enough waiting already.
        """
        ticket = self._queue(owner)
        try:
            while not self._taken(ticket):
                waiting(self.ahead_of(owner, ticket.number))
            yield
        finally:
            self._leave(ticket)

    def ahead_of(self, owner: Hashable, number: int) -> int:
        """How many computations go before the one with that number, the one under way included."""
        with self._changed:
            order = self._order()
            before = next((place for place, t in enumerate(order) if t.number == number), 0)
            return before + (self._inside is not None)

    def _queue(self, owner: Hashable) -> _Ticket:
        with self._changed:
            if sum(ticket.owner == owner for ticket in self._waiting) >= self._most:
                raise TooMuchWaiting(
                    f"{self._most} of your computations are waiting already: let one of them end, or stop it, first."
                )
            self._count += 1
            ticket = _Ticket(owner, self._count)
            self._waiting.append(ticket)
            return ticket

    def _taken(self, ticket: _Ticket) -> bool:
        """Whether it is this ticket's turn now; waits for a moment where it is not."""
        with self._changed:
            if self._inside is not None or self._order()[0] is not ticket:
                self._changed.wait(_TICK)
            if self._inside is not None or self._order()[0] is not ticket:
                return False
            self._waiting.remove(ticket)
            self._inside = ticket
            self._count += 1
            self._served[ticket.owner] = self._count
            return True

    def _order(self) -> list[_Ticket]:
        """The waiting tickets, next first: each owner's first, by when the owner was served, then each one's second."""
        turn: dict[Hashable, int] = {}
        keyed = []
        for ticket in self._waiting:
            rank = turn[ticket.owner] = turn.get(ticket.owner, -1) + 1
            keyed.append((rank, self._served.get(ticket.owner, 0), ticket.number, ticket))
        return [ticket for *_, ticket in sorted(keyed, key=lambda item: item[:3])]

    def _leave(self, ticket: _Ticket) -> None:
        with self._changed:
            if self._inside is ticket:
                self._inside = None
            elif ticket in self._waiting:
                self._waiting.remove(ticket)
            owners = {t.owner for t in self._waiting}
            if len(self._served) > 1_000:
                self._served = {owner: n for owner, n in self._served.items() if owner in owners}
            self._changed.notify_all()
