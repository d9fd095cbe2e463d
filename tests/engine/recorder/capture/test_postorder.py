"""A graph is walked once, each node after all that is before it."""

from engine.recorder.capture.postorder import postorder

BEFORE = {
    "loss": ["left", "right"],
    "left": ["shared"],
    "right": ["shared", "leaf"],
    "shared": ["leaf"],
    "leaf": [],
}


def test_each_node_comes_once_and_after_all_that_is_before_it() -> None:
    order = list(postorder(["loss", "left"], BEFORE.__getitem__))
    assert sorted(order) == sorted(BEFORE)
    assert all(order.index(before) < order.index(node) for node in BEFORE for before in BEFORE[node])


def test_only_what_leads_to_the_ends_is_visited() -> None:
    assert list(postorder(["shared"], BEFORE.__getitem__)) == ["leaf", "shared"]
    assert list(postorder([], BEFORE.__getitem__)) == []


def test_a_long_chain_needs_no_deep_stack() -> None:
    assert list(postorder([100_000], lambda number: [number - 1] if number else [])) == list(range(100_001))
