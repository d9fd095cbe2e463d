"""One at a time, fair to all owners, and a limit on what one owner can have waiting."""

import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.serving.fair_queue import Gate, TooMuchWaiting


class Queue:
    """Threads that wait at a gate in a known order while it is held, and the order in which they get in."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.order: list[str] = []
        self.refusals: dict[str, str] = {}
        self.inside = 0
        self.threads: list[threading.Thread] = []

    def join(self, owner: str, name: str, waiting: Callable[[int], None] = lambda ahead: None) -> None:
        waits = threading.Event()

        def told(ahead: int) -> None:
            waits.set()
            waiting(ahead)

        def run() -> None:
            try:
                with self.gate.entered(owner, told):
                    self.inside += 1
                    assert self.inside == 1
                    self.order.append(name)
                    self.inside -= 1
            except TooMuchWaiting as refusal:
                self.refusals[name] = str(refusal)

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()
        assert waits.wait(20)

    def end(self) -> list[str]:
        for thread in self.threads:
            thread.join(20)
        return self.order


def test_those_who_ask_for_little_go_before_the_rest_of_one_who_asks_for_much() -> None:
    gate = Gate()
    queue = Queue(gate)
    with gate.entered("greedy"):
        for name in ("g1", "g2", "g3"):
            queue.join("greedy", name)
        for number in range(9):
            queue.join(f"reader {number}", f"r{number}")
    assert queue.end() == [*(f"r{n}" for n in range(9)), "g1", "g2", "g3"]


def test_an_owner_can_have_only_so_many_waiting_and_the_oldest_gives_way() -> None:
    gate = Gate(most_waiting=2)
    queue = Queue(gate)
    with gate.entered("one"):
        queue.join("one", "a")
        queue.join("one", "b")
        queue.join("one", "c")
        queue.join("other", "d")
    assert queue.end() == ["d", "b", "c"]
    assert queue.refusals == {
        "a": "You have asked for more than 2 computations that wait: this one, the oldest, gave way to the others."
    }


def test_the_place_is_told_and_a_place_that_is_given_up_is_free() -> None:
    class Stopped(Exception):
        pass

    gate = Gate()
    queue = Queue(gate)
    places: list[int] = []

    def stop(ahead: int) -> None:
        places.append(ahead)
        raise Stopped

    with gate.entered("inside"):
        queue.join("a", "first")
        with pytest.raises(Stopped), gate.entered("b", stop):
            pass
        queue.join("c", "third")
    assert places == [2]
    assert queue.end() == ["first", "third"]


def test_what_the_body_raises_opens_the_gate_again() -> None:
    gate = Gate()
    with pytest.raises(ValueError, match="mine"), gate.entered("a"):
        raise ValueError("mine")
    with gate.entered("b"):
        pass


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from("abcd"), max_size=10))
def test_nobody_is_served_twice_while_another_who_waited_was_not(owners: list[str]) -> None:
    gate = Gate(most_waiting=10)
    queue = Queue(gate)
    with gate.entered("first of all"):
        for owner in owners:
            queue.join(owner, owner)
    order = queue.end()
    assert sorted(order) == sorted(owners)
    for place, owner in enumerate(order):
        left = order[place:]
        served = {o: order[:place].count(o) for o in set(left)}
        assert served[owner] == min(served.values())
