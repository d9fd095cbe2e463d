"""What the optimizer's trap says, held against closed forms and recurrences in double precision."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from engine import Settings, record, train
from engine.evidence.finite_differences import compare
from engine.evidence.verdicts import judge
from engine.optimizers import maker
from engine.twins.experiment_script import script_of
from engine.twins.training import start_model
from tests.claims import backs

SEEDS = range(20)
ATTACHED, AFTER = 30, 6
LR = 0.01
OPTIMIZERS, GRADIENTS, DECAYS = ("sgd", "momentum", "adam"), ("zeros", "none"), (0.01, 0.0)
Doubles = NDArray[np.float64]
Key = tuple[str, str, float, int]


@dataclass(frozen=True)
class Path:
    """The hidden weights at the start of each epoch and after the last, and their gradients while attached."""

    weights: Doubles  # (ATTACHED + AFTER + 1) x 16
    gradients: Doubles  # ATTACHED x 16
    output_moves: bool

    @property
    def cut(self) -> Doubles:
        """The weights from the cut on."""
        return self.weights[ATTACHED:]

    @property
    def last_move(self) -> Doubles:
        move: Doubles = self.weights[ATTACHED] - self.weights[ATTACHED - 1]
        return move


def settings(optimizer: str, gradients: str, decay: float, seed: int) -> Settings:
    chosen = Settings("optimizer_trap", optimizer=optimizer, learning_rate=LR, epochs=40, seed=seed)
    return chosen.choosing("gradients", gradients).choosing("decay", str(decay))


def path(optimizer: str, gradients: str, decay: float, seed: int) -> Path:
    """One run of the twin with the detach."""
    chosen = settings(optimizer, gradients, decay, seed)
    model, script = start_model(chosen), script_of(chosen)
    assert script.make_optimizers is not None
    data, optimizers = script.make_data(seed), script.make_optimizers(model, maker(optimizer, LR))
    hidden, output = model.get_parameter("hidden.weight"), model.get_parameter("output.weight")
    weights, came = [hidden.detach().flatten().clone()], []
    for epoch in range(1, ATTACHED + AFTER + 1):
        model.epoch = epoch  # type: ignore[assignment]
        before = output.detach().clone()
        script.step(True)(model, data, optimizers)
        weights.append(hidden.detach().flatten().clone())
        if epoch <= ATTACHED:
            assert hidden.grad is not None
            came.append(hidden.grad.flatten().clone())
        elif gradients == "none":
            assert hidden.grad is None
        else:
            assert hidden.grad is not None
            assert not hidden.grad.any()
    return Path(
        torch.stack(weights).double().numpy(),
        torch.stack(came).double().numpy(),
        not torch.equal(before, output),
    )


@pytest.fixture(scope="module")
def paths() -> dict[Key, Path]:
    return {key: path(*key) for key in product(OPTIMIZERS, GRADIENTS, DECAYS, SEEDS)}


@backs("optimizer_trap.measure", "The Euclidean distance")
def test_the_path_is_that_of_the_engine_and_the_measure_its_distance(paths: dict[Key, Path]) -> None:
    for key in (("adam", "zeros", 0.01, 0), ("momentum", "zeros", 0.0, 1), ("sgd", "none", 0.01, 2)):
        run = train(settings(*key)).detached
        ours = paths[key]
        theirs = [run.parameter("hidden.weight", e).ravel() for e in range(1, len(ours.weights) + 1)]
        assert np.array_equal(np.stack(theirs), ours.weights)
        whole = np.array([run.layer_weights("hidden", e) for e in range(ATTACHED + 1, ATTACHED + AFTER + 2)])
        distances = np.linalg.norm(whole[1:] - whole[0], axis=1)
        assert run.measures is not None
        assert run.measures[:ATTACHED] == (0.0,) * ATTACHED
        assert run.measures[ATTACHED : ATTACHED + AFTER] == pytest.approx(distances.tolist(), rel=1e-4)


@backs("optimizer_trap.summary", "After 30 epochs")
@backs("optimizer_trap.story", "With None in place of zeros")
def test_with_none_the_layer_stands_still_to_the_last_bit_under_every_optimizer_and_decay(
    paths: dict[Key, Path],
) -> None:
    for (_, gradients, _, _), one in paths.items():
        assert one.output_moves
        if gradients == "none":
            assert (one.cut == one.cut[0]).all()


@backs("optimizer_trap.summary", "After 30 epochs")
@backs("optimizer_trap.story", "So the layer moves on")
def test_with_zeros_it_moves_on_unless_plain_descent_has_no_decay(paths: dict[Key, Path]) -> None:
    for (optimizer, gradients, decay, _), one in paths.items():
        if gradients == "zeros":
            moving = (one.cut[1:] != one.cut[:-1]).any(axis=1)
            assert moving.all() if (optimizer, decay) != ("sgd", 0.0) else not moving.any()


def test_under_plain_descent_the_decay_shrinks_the_weights_geometrically(paths: dict[Key, Path]) -> None:
    for seed in SEEDS:
        one = paths["sgd", "zeros", 0.01, seed]
        expected = one.cut[0] * (1 - LR * 0.01) ** np.arange(AFTER + 1)[:, None]
        np.testing.assert_allclose(one.cut, expected, rtol=0, atol=2e-6)
        assert np.linalg.norm(expected[-1] - expected[0]) > 1e-3


def test_momentum_rolls_on_by_the_geometric_series_of_its_last_move(paths: dict[Key, Path]) -> None:
    for seed in SEEDS:
        one = paths["momentum", "zeros", 0.0, seed]
        series = 0.9 * (1 - 0.9 ** np.arange(AFTER + 1)) / (1 - 0.9)
        np.testing.assert_allclose(one.cut, one.cut[0] + one.last_move * series[:, None], rtol=0, atol=1e-5)


def test_momentum_with_decay_follows_the_powers_of_a_matrix(paths: dict[Key, Path]) -> None:
    turn = np.array([[1 - LR * 0.01, 0.9], [-LR * 0.01, 0.9]])  # of (weight, last move)
    for seed in SEEDS:
        one = paths["momentum", "zeros", 0.01, seed]
        begin = np.stack([one.cut[0], one.last_move])
        expected = [(np.linalg.matrix_power(turn, k) @ begin)[0] for k in range(AFTER + 1)]
        np.testing.assert_allclose(one.cut, np.stack(expected), rtol=0, atol=1e-5)


@pytest.mark.parametrize("decay", DECAYS)
def test_adam_goes_on_from_its_running_averages(paths: dict[Key, Path], decay: float) -> None:
    for seed in SEEDS:
        one = paths["adam", "zeros", decay, seed]
        first, second = np.zeros(16), np.zeros(16)
        for weight, gradient in zip(one.weights, one.gradients, strict=False):
            pulled = gradient + decay * weight
            first, second = 0.9 * first + 0.1 * pulled, 0.999 * second + 0.001 * pulled**2
        weight = one.cut[0]
        for k in range(1, AFTER + 1):
            first = 0.9 * first + 0.1 * decay * weight
            second = 0.999 * second + 0.001 * (decay * weight) ** 2
            t = ATTACHED + k
            weight = weight - LR * first / (1 - 0.9**t) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8)
            np.testing.assert_allclose(one.cut[k], weight, rtol=0, atol=2e-5)
        assert np.linalg.norm(weight - one.cut[0]) > 0.01


def test_the_verdicts() -> None:
    trapped = Settings("optimizer_trap", epochs=36)
    for seed in range(3):
        verdict = judge(train(trapped.changed(seed=seed)))
        assert verdict.kind == "learns something else"
        *_, with_ = verdict.sentence.partition("With it")
        assert "the move of the hidden layer since the cut from 0 to " in with_
        assert "From epoch 31 on the gradient of `hidden` is zeros, and it still moves by " in with_
        still = judge(train(trapped.choosing("gradients", "none").changed(seed=seed)))
        assert still.kind == "learns something else"
        assert still.sentence.endswith(
            "From epoch 31 on the gradient of `hidden` is None, and it stands still to the last bit."
        )
    before = judge(train(trapped.changed(epochs=30)))
    assert before.kind == "no difference"


@pytest.mark.parametrize(("left", "state"), [("zeros", "zero"), ("none", "none")])
def test_a_recorded_step_behind_the_cut_has_what_zero_grad_left(left: str, state: str) -> None:
    settings = Settings("optimizer_trap", options=(("gradients", left),))
    trace = train(settings)
    step = record(settings, epoch=40, weights="detached", trace=trace)
    assert {p.state for p in step.parameters if p.name.startswith("hidden")} == {state}
    said = compare(settings, "hidden.weight", 40, trace=trace)
    assert (said.autograd is None) == (left == "none")
    assert said.autograd is None or not said.autograd.any()
    assert said.differences is not None
    assert said.differences.any()
    assert "the differences see through the cut" in said.sentence


@backs("optimizer_trap.story", "It keeps the gradient out")
@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW])
def test_under_zeros_decay_moves_a_weight_by_every_optimizer_and_momentum_without_decay(
    kind: type[torch.optim.Optimizer],
) -> None:
    """Adam and SGD take the decay for a gradient; AdamW multiplies the weight by 1 - rate x decay."""
    weight = torch.nn.Parameter(torch.tensor([2.0, -0.5]))
    weight.grad = torch.zeros(2)
    first = weight.detach().clone()
    kind([weight], lr=0.1, weight_decay=0.01).step()  # type: ignore[call-arg]
    moved = weight.detach() - first
    if kind is torch.optim.Adam:
        assert moved.tolist() == pytest.approx([-0.1, 0.1], rel=1e-3)
    else:
        assert moved.tolist() == pytest.approx((-0.1 * 0.01 * first).tolist(), rel=1e-3)
    skipped = torch.nn.Parameter(first.clone())
    kind([skipped], lr=0.1, weight_decay=0.01).step()  # type: ignore[call-arg]
    assert torch.equal(skipped, first)


@backs("optimizer_trap.story", "It keeps the gradient out")
@pytest.mark.parametrize("optimizer", ["momentum", "adam"])
def test_momentum_and_averages_step_on_without_any_decay(paths: dict[Key, Path], optimizer: str) -> None:
    for seed in SEEDS:
        one = paths[optimizer, "zeros", 0.0, seed]
        assert (one.cut[1:] != one.cut[:-1]).any(axis=1).all()


@backs("optimizer_trap.measure", "Without the detach the layer goes on learning")
def test_without_the_detach_the_layer_moves_by_its_gradient() -> None:
    run = train(Settings("optimizer_trap", epochs=40)).attached
    norms = run.gradient_norms[run.layers.index("hidden")]
    assert all(norm is not None and norm > 0 for norm in norms[30:])
    assert run.measures is not None
    assert run.measures[-1] > 0.01
