"""The cache: once per key, bounded, errors not kept, and readable from outside."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from engine.serving.cache import Cache


def test_many_threads_that_ask_together_get_one_computation() -> None:
    cache: Cache[str, object] = Cache(10, lambda _: 1)
    barrier, computed = threading.Barrier(16), []

    def ask(_: int) -> object:
        barrier.wait()

        def compute() -> object:
            computed.append(1)
            return object()

        return cache.get("key", compute)

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(ask, range(16)))
    assert len(computed) == 1
    assert len(set(map(id, found))) == 1
    assert (cache.info().hits, cache.info().misses, cache.info().size) == (15, 1, 1)


def test_it_never_weighs_more_than_its_capacity_and_drops_what_was_asked_for_longest_ago() -> None:
    cache: Cache[int, int] = Cache(30, lambda value: value)
    for n in (10, 11, 9):
        cache.get(n, partial(int, n))
    cache.get(10, lambda: 99)
    cache.get(5, lambda: 5)
    assert cache.info().weight <= 30
    assert cache.get(10, lambda: 99) == 10
    assert cache.get(11, lambda: 77) == 77


def test_a_value_that_cannot_be_weighed_keeps_nobody_waiting() -> None:
    cache: Cache[str, int] = Cache(10, lambda value: 1 // value)
    with pytest.raises(ZeroDivisionError):
        cache.get("key", lambda: 0)
    assert cache.get("key", lambda: 1) == 1


def test_an_error_is_not_kept() -> None:
    cache: Cache[str, int] = Cache(10, lambda _: 1)
    with pytest.raises(ZeroDivisionError):
        cache.get("key", lambda: 1 // 0)
    assert cache.info().size == 0
    assert cache.get("key", lambda: 3) == 3


def test_who_waits_for_a_stopped_computation_computes_anew() -> None:
    cache: Cache[str, int] = Cache(10, lambda _: 1)
    started, waits = threading.Event(), threading.Event()

    class Stop(BaseException):
        pass

    def stopped() -> int:
        started.set()
        assert waits.wait(10)
        raise Stop

    def first() -> None:
        with pytest.raises(Stop):
            cache.get("key", stopped)

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(first)
        assert started.wait(10)
        other = pool.submit(cache.get, "key", lambda: 7, waits.set)
        one.result(10)
        assert other.result(10) == 7


def test_who_waits_can_give_up_and_disturbs_nobody() -> None:
    cache: Cache[str, int] = Cache(10, lambda _: 1)
    started, given_up = threading.Event(), threading.Event()

    def slow() -> int:
        started.set()
        assert given_up.wait(10)
        return 1

    def give_up() -> None:
        raise TimeoutError("no patience")

    with ThreadPoolExecutor(1) as pool:
        one = pool.submit(cache.get, "key", slow)
        assert started.wait(10)
        with pytest.raises(TimeoutError, match="no patience"):
            cache.get("key", lambda: 2, give_up)
        given_up.set()
        assert one.result(10) == 1
