"""The order in which pages draw."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.components.shell.turns import Turns

LONG = 60.0


def test_one_draws_at_a_time_and_in_the_order_of_coming() -> None:
    turns, order, inside = Turns(LONG), list[int](), list[int]()
    most = 0

    def draw(number: int) -> None:
        nonlocal most
        with turns.taken():
            inside.append(number)
            most = max(most, len(inside))
            order.append(number)
            inside.remove(number)

    with ThreadPoolExecutor(8) as pool, turns.taken():
        for number in range(8):
            pool.submit(draw, number)
            while len(turns._queue) <= number:
                pass  # until it stands in the queue
    assert order == list(range(8))
    assert most == 1


def test_a_turn_is_given_up_while_a_result_is_computed() -> None:
    turns, drawn = Turns(LONG), threading.Event()

    def other() -> None:
        with turns.taken():
            drawn.set()

    with ThreadPoolExecutor(1) as pool, turns.taken():
        pool.submit(other)
        with turns.given_up():
            assert drawn.wait(LONG)
        drawn.clear()
        waiting = pool.submit(other)
        while not turns._queue:
            pass
        assert not drawn.is_set()
    waiting.result()
    assert drawn.is_set()


def test_who_has_waited_too_long_draws_all_the_same_and_takes_nobodys_turn() -> None:
    turns = Turns(patience=0.01)
    with ThreadPoolExecutor(1) as pool, turns.taken():

        def late() -> bool:
            with turns.taken(), turns.given_up():
                return True

        assert pool.submit(late).result()
        assert turns._taken
        assert not turns._queue
    assert not turns._taken


def test_a_run_that_is_stopped_gives_its_turn_away() -> None:
    turns = Turns(LONG)
    with pytest.raises(RuntimeError), turns.taken(), turns.given_up():
        raise RuntimeError
    with turns.taken():
        assert turns._taken
    assert not turns._taken
