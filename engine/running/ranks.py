"""The ranks of a job that torchrun started: each leaves its report with the others, and rank 0 reports for all.

They meet at the store of torchrun's agent, which lives as long as the job and serves all its nodes, and not in
collectives, which hang where one rank does not come. No rank ends before all have left a report, since one that ends
breaks off what the others are in the middle of. A rank that stands still while all others have left theirs, or stand
still too, waits for what never comes: a thread beside it leaves a report on as much as was seen, with the line where
it stands.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import sys
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch.distributed import Store  # type: ignore[attr-defined]

    from ..recorder.ranks import RankReport, Why

STILL = 5.0
"""Seconds after which a rank that has not moved stands still."""
ALL_STILL = 60.0
"""The same where no rank has left a report: as long as this nothing at all has happened in the whole job."""
LATE = 60.0
"""Seconds that a rank which moves may come later than the first."""
_NOTICE = 3.0
"""Seconds that the other reports are waited for once torchrun ends the job."""
_TICK = 0.1
_CHUNK = 4_000_000
"""Bytes of one entry: the store takes 8 MB."""


class Ranks:
    """The job, as one of its processes sees it."""

    def __init__(
        self, rank: int, size: int, store: Store, told_to_end: Callable[[], bool] = lambda: False
    ) -> None:
        self.rank = rank
        self.size = size
        self.told_to_end = told_to_end
        """Whether torchrun ends this process, since another has failed."""
        self._store = store
        self._lock = threading.Lock()
        self.left = False
        """Whether this rank has left its report."""

    @property
    def others(self) -> list[int]:
        """The other ranks."""
        return [rank for rank in range(self.size) if rank != self.rank]

    def leave(self, report: RankReport) -> bool:
        """Leaves this rank's report for the others; only the first counts."""
        with self._lock:
            if self.left:
                return False
            self.left = True
        data = zlib.compress(pickle.dumps(report), 1)
        chunks = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)]
        for number, chunk in enumerate(chunks):
            self._store.set(f"{self.rank}/{number}", chunk)  # type: ignore[arg-type]
        self._store.set(f"{self.rank}", str(len(chunks)))
        self._store.set("any", "1")
        return True

    def gather(self, within: float = ALL_STILL + LATE) -> list[RankReport]:
        """The reports that the ranks left, in their order. It waits for all, so long as that can help."""
        until = time.monotonic() + within
        missing = set(range(self.size))
        while missing and time.monotonic() < until:
            if self.told_to_end():
                until = min(until, time.monotonic() + _NOTICE)
            missing = {rank for rank in missing if not self.has(f"{rank}")}
            if missing:
                time.sleep(_TICK)
        return [self._report(rank) for rank in range(self.size) if rank not in missing]

    def _report(self, rank: int) -> RankReport:
        chunks = [self._store.get(f"{rank}/{number}") for number in range(int(self._store.get(f"{rank}")))]
        report: RankReport = pickle.loads(zlib.decompress(b"".join(chunks)))
        return report

    def has(self, key: str) -> bool:
        """Whether somebody has set a key."""
        return bool(self._store.check([key]))

    def all_wait(self) -> bool:
        """Whether every other rank has left its report or stands still."""
        return all(self.has(f"{rank}") or self._stands(rank) for rank in self.others)

    def _stands(self, rank: int) -> bool:
        return self.has(f"still/{rank}") and self._store.get(f"still/{rank}") == b"1"

    def stands(self, still: bool) -> None:
        """Says whether this rank stands still."""
        self._store.set(f"still/{self.rank}", "1" if still else "0")

    def told(self) -> None:
        """The report on all ranks is out."""
        self._store.set("told", "1")

    def wait_until_told(self, within: float = STILL) -> None:
        """Waits for rank 0's report to be out: torchrun ends the others as soon as one has failed."""
        until = time.monotonic() + within
        while not self.has("told") and time.monotonic() < until:
            time.sleep(_TICK)


def several_ranks() -> bool:
    """Whether torchrun started this process as one of several, with a store where they can meet."""
    size = os.environ.get("WORLD_SIZE", "1")
    return os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True" and size.isdigit() and int(size) > 1


def ranks_of_this_job(hear: bool) -> Ranks | None:
    """The ranks, where torchrun started several. Torch must have been imported. `hear`: whether to report a job that
    torchrun ends."""
    if not several_ranks():
        return None
    given = os.environ
    from torch.distributed import PrefixStore, TCPStore  # type: ignore[attr-defined]

    job = f"detach_lab/{given.get('TORCHELASTIC_RUN_ID')}/{given.get('TORCHELASTIC_RESTART_COUNT')}"
    try:
        agent = TCPStore(given["MASTER_ADDR"], int(given["MASTER_PORT"]), timeout=timedelta(seconds=30))
    except (KeyError, ValueError, RuntimeError):  # no store there: each rank is reported alone
        return None
    ends = _hear_sigterm() if hear else None
    return Ranks(
        int(given["RANK"]), int(given["WORLD_SIZE"]), PrefixStore(job, agent), ends or (lambda: False)
    )


def _hear_sigterm() -> Callable[[], bool] | None:
    """Says from now on whether SIGTERM has come; None where the script listens itself.

    Python runs a handler in the main thread alone, which may wait in a collective for ever. The interpreter also
    writes the signal's number into a socket at once, where any thread can read it.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return None
    reading, writing = socket.socketpair()
    reading.setblocking(False)
    writing.setblocking(False)
    before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)
        return None

    def nothing(number: int, frame: FrameType | None) -> None:
        assert writing  # the socket lives as long as the handler

    signal.signal(signal.SIGTERM, nothing)

    def forget() -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    os.register_at_fork(after_in_child=forget)
    heard = bytearray()

    def told_to_end() -> bool:
        with suppress(BlockingIOError):
            heard.extend(reading.recv(64))
        ours = signal.getsignal(signal.SIGTERM)  # a script that listens later ends by itself
        return signal.SIGTERM in heard and ours is nothing

    return told_to_end


class Lookout(threading.Thread):
    """Calls `stuck` with the frame where the main thread stands, once it waits for what never comes, or is late.

    `moments` counts what has been recorded: a loop can come by the same instruction each time that one looks.
    """

    def __init__(
        self,
        ranks: Ranks,
        moments: Callable[[], int],
        stuck: Callable[[FrameType, Why, BaseException | None], None],
    ) -> None:
        super().__init__(name="detach-lab lookout", daemon=True)
        self._ranks = ranks
        self._moments = moments
        self._stuck = stuck

    def run(self) -> None:
        """Looks until the main thread waits in vain, has left its report, or the store is gone."""
        try:
            self._look()
        except RuntimeError:  # torchrun has ended, and the store with it
            return

    def _look(self) -> None:
        main, ranks = threading.main_thread().ident, self._ranks
        since = time.monotonic()
        first: float | None = None
        place: Any = None
        said = False
        while not ranks.left:
            time.sleep(_TICK)
            now, frame = time.monotonic(), sys._current_frames().get(main or 0)
            here = (id(frame), frame.f_lasti, self._moments()) if frame is not None else None
            if here != place:
                place, since = here, now
            still = now - since >= STILL
            if still != said:
                said = still
                ranks.stands(still)
            if first is None and ranks.has("any"):
                first = now
            why = self._why(now, since, first)
            if frame is not None and why is not None and not ranks.left:
                self._stuck(frame, why, _handled_in(main))
                return

    def _why(self, now: float, since: float, first: float | None) -> Why | None:
        """Why this rank is to be reported as it stands, if it is: it has stood `since`, and the `first` report came."""
        still = now - since
        if self._ranks.told_to_end():
            return "told to end"
        if still >= (STILL if first is not None else ALL_STILL) and self._ranks.all_wait():
            return "waits"
        return "late" if first is not None and now - first >= LATE else None


def _handled_in(thread: int | None) -> BaseException | None:
    """The exception that a thread handles, such as one on whose way out a `finally` waits."""
    held: Any = sys._current_exceptions().get(thread or 0)
    error = held[1] if isinstance(held, tuple) else held  # a tuple up to Python 3.11
    return error if isinstance(error, Exception) else None
