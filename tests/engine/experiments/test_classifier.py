"""What the deeper network's story says: layers above the detach learn, layers below it keep their first weights."""

import pytest

from engine import Settings, train
from tests.claims import backs

LAYERS = ("hidden_1", "hidden_2", "output")
SEEDS = range(5)


@backs("classifier.story", "So that it only looks on", "This is the same cut")
@pytest.mark.parametrize("place", LAYERS[:2])
def test_above_the_detach_they_learn_and_below_it_they_keep_their_first_weights(place: str) -> None:
    below = LAYERS[: LAYERS.index(place) + 1]
    for seed in SEEDS:
        trace = train(Settings("classifier", place, epochs=10, seed=seed))
        run = trace.detached
        assert run.never_moved == below
        assert trace.attached.never_moved == ()
        for layer, norms in zip(run.layers, run.gradient_norms, strict=True):
            assert all((norm is None) == (layer in below) for norm in norms)
        assert run.losses[-1] < run.losses[0] - 0.01


@backs("classifier.story", "After the output layer nothing is left to learn")
def test_after_the_output_layer_backward_raises() -> None:
    run = train(Settings("classifier", "output", epochs=3)).detached
    assert "does not require grad" in (run.refusal or "")
    assert run.never_moved == LAYERS


@backs("classifier.summary", "Three linear layers")
def test_without_a_detach_the_three_arms_are_told_apart() -> None:
    for seed in SEEDS:
        trace = train(Settings("classifier", epochs=200, seed=seed))
        assert trace.attached.layers == LAYERS
        assert trace.attached.accuracies is not None
        assert trace.attached.accuracies[-1] > 0.95
