"""What a page shows while results are made for several readers at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.runtime import Runtime
from streamlit.testing.v1 import AppTest

from engine import Settings, Trace, train
from engine.recorder import StepRecord
from engine.serving import results
from engine.serving.cache import Cache
from engine.serving.fair_queue import MOST_WAITING, Gate
from engine.serving.results import RecordKey
from pages.components.shell import results as shown
from tests.pages.test_pages import opened, text


def test_one_visitor_who_wants_too_much_is_told_so_and_can_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, done = Gate(), threading.Event()
    inside, told = threading.Event(), threading.Event()
    monkeypatch.setattr(results, "_gate", gate)
    monkeypatch.setattr(shown, "_visitor", lambda: "greedy")
    original = shown._Progress.waiting

    def waits(self: shown._Progress, ahead: int) -> None:
        told.set()
        original(self, ahead)

    monkeypatch.setattr(shown._Progress, "waiting", waits)

    def compute(owner: str) -> None:
        with gate.entered(owner):
            inside.set()
            done.wait(60)

    with ThreadPoolExecutor(MOST_WAITING + 2) as pool:
        pool.submit(compute, "somebody else")
        assert inside.wait(60)
        page = pool.submit(opened, "pages/training_trace.py", epochs=213)
        assert told.wait(60)
        for _ in range(MOST_WAITING):
            pool.submit(compute, "greedy")
        app = page.result(60)
        done.set()
    assert [w.value for w in app.warning] == [
        f"You have asked for more than {MOST_WAITING} computations that wait: this one, the oldest, gave way to the others."
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

    # AppTest takes its runtime away as soon as the first of two pages is done; the other still needs one.
    latest: list[Runtime] = []

    def instance() -> Runtime:
        if Runtime._instance is not None:
            latest[:] = [Runtime._instance]
        return latest[0]

    monkeypatch.setattr(Runtime, "instance", staticmethod(instance))

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
