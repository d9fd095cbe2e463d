"""What a page shows while results are made for several readers at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from streamlit.testing.v1 import AppTest

from engine import Settings, Trace, results, train
from engine.cache import Cache
from engine.gate import MOST_WAITING, Gate
from engine.recorder import StepRecord
from engine.results import RecordKey
from pages.components import results as shown
from tests.pages.test_pages import opened, text


@contextmanager
def busy(gate: Gate, owner: str, waiting: int) -> Iterator[None]:
    """A gate with one computation under way, and so many of `owner` waiting behind it."""
    done, queued = threading.Event(), threading.Barrier(waiting + 1, timeout=60)
    with ThreadPoolExecutor(waiting + 1) as pool:
        entered = threading.Event()

        def work() -> None:
            with gate.entered("somebody else"):
                entered.set()
                done.wait()

        def wait() -> None:
            told: list[int] = []

            def waits(ahead: int) -> None:
                if not told:
                    queued.wait()
                told.append(ahead)

            with gate.entered(owner, waits):
                pass

        pool.submit(work)
        entered.wait()
        for _ in range(waiting):
            pool.submit(wait)
        queued.wait()
        try:
            yield
        finally:
            done.set()


def test_one_visitor_with_enough_waiting_is_told_so_and_can_try_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = Gate()
    monkeypatch.setattr(results, "_gate", gate)
    monkeypatch.setattr(shown, "_visitor", lambda: "greedy")
    with busy(gate, "greedy", MOST_WAITING):
        app = opened("pages/training_trace.py", epochs=213)
        assert [w.value for w in app.warning] == [
            f"{MOST_WAITING} of your computations are waiting already: let one of them end, or stop it, first."
        ]
        assert not app.exception
        assert app.sidebar.slider(key="epochs").value == 213
    next(b for b in app.button if b.label == "Try again").click().run()
    assert not app.warning
    assert "Epoch by epoch" in [h.value for h in app.header]


def test_two_readers_of_the_same_settings_at_the_same_moment_cost_one_computation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = threading.Barrier(2, timeout=60)
    computed: list[Settings] = []
    kept: Cache[Settings, Trace] = Cache(results.CAPACITY, lambda trace: trace.nbytes)
    monkeypatch.setattr(results, "traces", kept)

    def trained(settings: Settings, progress: object = None) -> Trace:
        computed.append(settings)
        both.wait()  # until the other reader waits for this very one
        return train(settings)

    monkeypatch.setattr(results, "train", trained)
    told = threading.Event()
    original = shown._Progress.waiting

    def waits(self: shown._Progress, ahead: int) -> None:
        if not told.is_set():
            told.set()
            both.wait()
        original(self, ahead)

    monkeypatch.setattr(shown._Progress, "waiting", waits)

    def read(_: int) -> AppTest:
        return opened("pages/training_trace.py", epochs=7, seed=3, start="random")

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(read, range(2))
    assert not one.exception
    assert text(one) == text(other)
    assert computed == [Settings(epochs=7, seed=3, start="random")]


def test_a_cache_that_is_full_loses_nothing_but_time(monkeypatch: pytest.MonkeyPatch) -> None:
    before = text(opened("pages/data_flow.py", epochs=6))
    monkeypatch.setattr(results, "traces", Cache[Settings, Trace](1, lambda trace: trace.nbytes))
    monkeypatch.setattr(results, "records", Cache[RecordKey, StepRecord](1, results._weigh))
    assert text(opened("pages/data_flow.py", epochs=6)) == before
    assert text(opened("pages/data_flow.py", epochs=6)) == before
    assert (results.traces.info().size, results.records.info().size) == (1, 1)
