"""What the frozen backbone's story and verdicts say, held against plain torch written here."""

import weakref
from contextlib import nullcontext

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm, cross_entropy, linear, relu

from engine import Settings, Trace, train
from engine.evidence.cost import cost
from engine.evidence.verdicts import judge
from engine.settings import NOWHERE
from engine.twins.experiment_script import script_of
from engine.twins.training import start_model
from tests.claims import backs

SEEDS = range(20)
EPOCHS = 3
CUTS = ("features", "no_grad", "frozen")
MODES = ("train", "eval")
BACKBONE = ("backbone.linear_1.weight", "backbone.linear_1.bias", "backbone.norm.weight", "backbone.norm.bias", "backbone.linear_2.weight", "backbone.linear_2.bias")  # fmt: skip
Traces = dict[tuple[str, str, int], Trace]


def settings(cut: str, mode: str = "train", seed: int = 0) -> Settings:
    return Settings("frozen_backbone", detach=cut, epochs=EPOCHS, seed=seed).choosing("mode", mode)


@pytest.fixture(scope="module")
def traces() -> Traces:
    return {(c, m, s): train(settings(c, m, s)) for c in CUTS for m in MODES for s in SEEDS}


def start(seed: int) -> tuple[nn.Module, Tensor, Tensor]:
    data = script_of(settings("features")).make_data(seed)
    return start_model(settings("features", seed=seed)), data.inputs, data.targets


@backs("frozen_backbone.summary", "A new head learns")
@backs("frozen_backbone.story", "The optimizer holds the head only")
def test_the_weights_are_the_same_bits_under_every_cut_and_none(traces: Traces) -> None:
    for mode in MODES:
        for seed in SEEDS:
            runs = [run for cut in CUTS for run in traces[cut, mode, seed].runs]
            assert len({run.weights.tobytes() for run in runs}) == 1
            assert all(
                run.never_moved == ("backbone.linear_1", "backbone.norm", "backbone.linear_2") for run in runs
            )
            assert all(run.losses[-1] < run.losses[0] for run in runs)


@pytest.mark.parametrize("mode", MODES)
def test_the_heads_gradient_is_the_same_bits_and_that_of_plain_torch(mode: str) -> None:
    for seed in SEEDS:
        found = []
        for cut in (*CUTS, NOWHERE):
            chosen = settings(cut, mode, seed)
            model, script = start_model(chosen), script_of(chosen)
            still = torch.optim.SGD(model.get_submodule("head").parameters(), lr=0.0)
            script.step(True)(model, script.make_data(seed), still)
            gradient = model.get_parameter("head.weight").grad
            assert gradient is not None
            found.append(gradient)
        assert all(torch.equal(found[0], other) for other in found[1:])
        model, x, targets = start(seed)
        features = plain_features(model, x, mode)
        weight, bias = model.get_parameter("head.weight"), model.get_parameter("head.bias")
        chances = (features @ weight.T + bias).softmax(dim=1).detach()
        chances[torch.arange(60), targets] -= 1
        torch.testing.assert_close(found[0], chances.T @ features.detach() / 60, rtol=1e-4, atol=1e-6)


def plain_features(model: nn.Module, x: Tensor, mode: str) -> Tensor:
    p = dict(model.state_dict(keep_vars=True))
    hidden = x @ p["backbone.linear_1.weight"].T + p["backbone.linear_1.bias"]
    mean, var = hidden.mean(dim=0), hidden.var(dim=0, unbiased=False)
    if mode == "eval":
        mean, var = p["backbone.norm.running_mean"], p["backbone.norm.running_var"]
    hidden = (hidden - mean) / (var + 1e-5).sqrt() * p["backbone.norm.weight"] + p["backbone.norm.bias"]
    features: Tensor = (
        hidden.clamp_min(0) @ p["backbone.linear_2.weight"].T + p["backbone.linear_2.bias"]
    ).clamp_min(0)
    return features


@backs("frozen_backbone.story", "None of the three stops BatchNorm")
@backs("frozen_backbone.measure", "BatchNorm keeps", "Any distance but 0")
def test_in_training_mode_the_running_mean_moves_under_every_cut_by_a_tenth_of_the_way_each_epoch(
    traces: Traces,
) -> None:
    for seed in SEEDS:
        model, x, _ = start(seed)
        with torch.no_grad():
            mean = model.get_submodule("backbone.linear_1")(x).mean(dim=0)
            away = float(torch.dist(mean, model.get_buffer("backbone.norm.running_mean")))
        expected = [away * (1 - 0.9**k) for k in range(1, EPOCHS + 1)]
        assert expected[-1] > 0.1
        for cut in CUTS:
            for run in traces[cut, "train", seed].runs:
                assert run.measures == pytest.approx(expected, rel=1e-3)


@backs("frozen_backbone.story", "None of the three stops BatchNorm")
def test_in_eval_mode_the_running_statistics_stand_still_to_the_last_bit(traces: Traces) -> None:
    for (_, mode, _), trace in traces.items():
        if mode == "eval":
            assert all(run.measures == (0.0,) * EPOCHS for run in trace.runs)


def test_without_a_cut_the_backbones_gradients_pile_up_for_nobody(traces: Traces) -> None:
    for cut in CUTS:
        for seed in SEEDS:
            trace = traces[cut, "train", seed]
            model, x, targets = start(seed)
            piled = torch.zeros(16, 4)
            for epoch in range(1, EPOCHS + 1):
                for name in ("head.weight", "head.bias"):
                    model.get_parameter(name).data.copy_(torch.tensor(trace.attached.parameter(name, epoch)))
                loss = cross_entropy(model.get_submodule("head")(plain_features(model, x, "train")), targets)
                piled += torch.autograd.grad(loss, model.get_parameter("backbone.linear_1.weight"))[0]
            first = trace.attached.layers.index("backbone.linear_1")
            norm = trace.attached.gradient_norms[first][-1]
            assert norm is not None
            # The layer's bias has no part in it: before a BatchNorm its gradient is zero but for rounding.
            assert norm == pytest.approx(float(piled.norm()), rel=1e-3)
            assert trace.detached.gradient_norms[first] == (None,) * EPOCHS


class Kept:
    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor.detach()


def plain_bytes(cut: str, mode: str, seed: int) -> tuple[int, int]:
    """Bytes saved in the forward pass, and those of them still alive when the head has the features."""
    model, x, targets = start(seed)
    p = dict(model.state_dict(keep_vars=True))
    alive: weakref.WeakSet[Kept] = weakref.WeakSet()
    saved = []

    def pack(tensor: Tensor) -> Kept:
        kept = Kept(tensor)
        alive.add(kept)
        saved.append(tensor.nbytes)
        return kept

    if cut == "frozen":
        for name in BACKBONE:
            p[name].requires_grad_(False)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept.tensor):
        with torch.no_grad() if cut == "no_grad" else nullcontext():
            features = linear(x, p["backbone.linear_1.weight"], p["backbone.linear_1.bias"])
            features = batch_norm(
                features,
                p["backbone.norm.running_mean"],
                p["backbone.norm.running_var"],
                p["backbone.norm.weight"],
                p["backbone.norm.bias"],
                training=mode == "train",
            )
            features = relu(
                linear(relu(features), p["backbone.linear_2.weight"], p["backbone.linear_2.bias"])
            )
        if cut == "features":
            features = features.detach()
        at_the_head = sum(kept.tensor.nbytes for kept in alive)
        loss = cross_entropy(linear(features, p["head.weight"], p["head.bias"]), targets)
    assert loss.requires_grad
    return sum(saved), at_the_head


@backs("frozen_backbone.story", "With a detach the forward pass still saves")
@pytest.mark.parametrize("mode", MODES)
def test_what_each_cut_saves_is_what_plain_torch_saves(mode: str) -> None:
    for seed in SEEDS:
        none, detach, no_grad, frozen = (plain_bytes(cut, mode, seed) for cut in (NOWHERE, *CUTS))
        # The detach spares the head's weight alone, 16 x 3 numbers: nobody asks for the features' gradient.
        assert none[0] - detach[0] == 16 * 3 * 4
        assert detach[0] > 3 * no_grad[0]
        assert no_grad == frozen
        assert none[1] > 10_000
        assert detach[1] == no_grad[1] == frozen[1] == 0
        if seed < 3:
            for cut, (saved, _) in zip(CUTS, (detach, no_grad, frozen), strict=True):
                counted = cost(settings(cut, mode, seed), True, epochs=2)
                assert counted.saved == (saved,) * 2
                assert cost(settings(cut, mode, seed), False, epochs=2).saved == (none[0],) * 2


@backs("verdict", "wasted work")
@backs("frozen_backbone.story", "The optimizer holds the head only")
def test_the_verdict_on_every_cut_is_wasted_work_at_its_own_cost(traces: Traces) -> None:
    for (cut, _, seed), trace in traces.items():
        if seed < 3:
            verdict = judge(trace)
            assert verdict.kind == "wasted work"
            assert verdict.attached.unused == BACKBONE
            assert verdict.detached.unused == ()
            # Below the cut: two linear layers that each transpose their weight, a norm and two relus.
            assert verdict.attached.nodes[-1] - verdict.detached.nodes[-1] == 7
            assert "6 parameters get a gradient that no optimizer uses." in verdict.sentence
            # A detach saves the backbone's activations and lets them go; the others never save them.
            assert verdict.detached.at_once == 5_764
            assert (verdict.detached.saved[-1] == 5_764) == (cut != "features")
            assert (
                f"{verdict.attached.at_once:,} bytes are held for it without the detach, 5,764 bytes with it"
                in verdict.sentence
            )
            assert verdict.attached.at_once > 23_000
    assert judge(train(settings(NOWHERE))).kind == "no difference"


@backs("frozen_backbone.story", "In transfer learning")
def test_the_stand_in_backbone_has_random_weights_and_statistics_of_other_data() -> None:
    one, other = (start(seed)[0] for seed in (0, 1))
    for name in ("backbone.linear_1.weight", "backbone.linear_2.weight"):
        weights = one.get_parameter(name)
        assert not torch.equal(weights, other.get_parameter(name))
        assert weights.abs().max() <= weights.shape[1] ** -0.5
    assert one.get_buffer("backbone.norm.running_mean").any()
