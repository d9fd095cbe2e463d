"""The GAN's story: what the detach spares, and what happens where the leftover gradients are not cleared."""

from collections.abc import Mapping
from statistics import median

import pytest
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, linear

from engine import Settings, train
from engine.evidence.cost import cost
from engine.evidence.verdicts import judge, same_weights
from engine.twins.experiment_script import script_of
from engine.twins.trace import Trace
from engine.twins.training import start_model
from tests.claims import backs

SEEDS = range(20)
GENERATOR = tuple(
    f"generator.{layer}.{kind}" for layer in ("hidden", "output") for kind in ("weight", "bias")
)
FEW = Settings("gan", epochs=5)
WRONG = Settings("gan", epochs=80).choosing("clearing", "at-the-top")


@pytest.fixture(scope="module")
def wrong_place() -> list[Trace]:
    """The twins of each seed with the generator's gradients cleared at the top of the step."""
    return [train(WRONG.changed(seed=seed)) for seed in SEEDS]


def player(weights: Mapping[str, Tensor], name: str, points: Tensor) -> Tensor:
    """A player's answer, written with the bare weights."""
    hidden = linear(points, weights[f"{name}.hidden.weight"], weights[f"{name}.hidden.bias"]).tanh()
    return linear(hidden, weights[f"{name}.output.weight"], weights[f"{name}.output.bias"])


def both_gradients(seed: int) -> tuple[Tensor, Tensor]:
    """The gradients by the generator's weights, flat: of the discriminator's loss, and of the generator's own."""
    settings = FEW.changed(seed=seed)
    weights = dict(start_model(settings).named_parameters())
    data = script_of(settings).make_data(seed)
    by = [weights[name] for name in GENERATOR]
    real, fake = data.real, player(weights, "generator", data.noise[0])
    scores = torch.cat([player(weights, "discriminator", real), player(weights, "discriminator", fake)])
    labels = torch.cat([torch.ones(64, 1), torch.zeros(64, 1)])
    losses = (
        2 * binary_cross_entropy_with_logits(scores, labels),
        binary_cross_entropy_with_logits(scores[64:], torch.ones(64, 1)),
    )
    theirs, own = (torch.autograd.grad(loss, by, retain_graph=True) for loss in losses)
    return torch.cat([g.flatten() for g in theirs]), torch.cat([g.flatten() for g in own])


def left_on_the_generator(settings: Settings, detached: bool) -> Tensor:
    """What stands in the generator's `.grad` after a step in which nothing moves, flat."""
    script, model = script_of(settings), start_model(settings)
    assert script.make_optimizers is not None
    still = script.make_optimizers(model, lambda parameters: torch.optim.SGD(parameters, lr=0.0))
    script.step(detached)(model, script.make_data(settings.seed), still)
    gradients = [parameter.grad for name, parameter in model.named_parameters() if name in GENERATOR]
    return torch.cat([gradient.flatten() for gradient in gradients if gradient is not None])


@backs("gan.story", "Without it the generator gets gradients")
def test_cleared_in_the_right_place_the_detach_spares_work_and_changes_no_bit() -> None:
    for seed in SEEDS:
        trace = train(FEW.changed(seed=seed, epochs=3))
        assert same_weights(*trace.runs)
        assert trace.attached.losses == trace.detached.losses
    verdict = judge(train(FEW))
    assert verdict.kind == "wasted work"
    # The way back through the generator: two layers (a product and a turned weight each) and a tanh.
    assert [a - d for a, d in zip(verdict.attached.nodes, verdict.detached.nodes, strict=True)] == [5] * 5
    assert verdict.attached.saved > verdict.detached.saved
    # Four of each player. A gradient is counted as the next one replaces it, so the first epoch counts fewer.
    assert (verdict.attached.cleared, verdict.detached.cleared) == ((4, 8, 8, 8, 8), (0, 4, 4, 4, 4))
    assert verdict.sentence.endswith("in an epoch: 8 gradients without the detach, 4 with it.")


@backs("gan.story", "In the discriminator's step")
def test_a_lone_discriminator_leaves_gradients_that_nobody_uses() -> None:
    verdict = judge(train(FEW.choosing("updates", "discriminator")))
    assert verdict.kind == "wasted work"
    assert (set(verdict.attached.unused), verdict.detached.unused) == (set(GENERATOR), ())
    assert "4 parameters get a gradient that no optimizer uses" in verdict.sentence
    for seed in SEEDS:
        trace = train(FEW.choosing("updates", "discriminator").changed(seed=seed, epochs=2))
        assert same_weights(*trace.runs)
        for run in trace.runs:
            assert {"generator.hidden", "generator.output"} == set(run.never_moved)
        norms = [
            dict(zip(run.layers, run.gradient_norms, strict=True))["generator.hidden"] for run in trace.runs
        ]
        assert all(norm is not None and norm > 0 for norm in norms[0])
        assert norms[1] == (None, None)


def test_a_lone_generator_never_meets_the_detach() -> None:
    assert judge(train(FEW.choosing("updates", "generator"))).kind == "no difference"


@backs("gan.story", "And where both steps share")
def test_shared_fakes_need_the_detach() -> None:
    shared = FEW.choosing("fakes", "reused")
    for seed in SEEDS:
        trace, anew = (train(s.changed(seed=seed, epochs=2)) for s in (shared, FEW))
        assert "backward through the graph a second time" in (trace.attached.refusal or "")
        assert trace.detached.refusal is None
        assert same_weights(trace.detached, anew.detached)
    assert judge(train(shared)).kind == "error"


@backs("gan.story", "Without it the generator gets gradients", "Where they are not cleared")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_leftover_is_the_gradient_of_the_discriminators_loss_and_works_against_the_generator(
    seed: int,
) -> None:
    theirs, own = both_gradients(seed)
    right, wrong = FEW.changed(seed=seed), WRONG.changed(seed=seed)
    torch.testing.assert_close(left_on_the_generator(wrong, False), theirs + own)
    for settings, detached in ((wrong, True), (right, True), (right, False)):
        torch.testing.assert_close(left_on_the_generator(settings, detached), own)
    assert theirs @ own < 0


@backs("gan.story", "Where they are not cleared")
def test_in_the_wrong_place_the_fakes_stay_away_from_the_data(wrong_place: list[Trace]) -> None:
    ends = []
    for trace in wrong_place:
        attached, detached = trace.attached.measures, trace.detached.measures
        assert attached is not None
        assert detached is not None
        assert attached[0] == detached[0]
        ends.append((median(attached[-20:]), median(detached[-20:])))
    assert sum(attached > detached for attached, detached in ends) >= 17
    assert median(a for a, _ in ends) > 1.3 * median(d for _, d in ends)
    assert judge(wrong_place[0]).kind == "learns something else"


@backs("gan.measure", "How far the mean")
def test_the_measure_is_the_distance_of_means_and_spreads(wrong_place: list[Trace]) -> None:
    run, data = wrong_place[0].detached, script_of(WRONG).make_data(0)
    assert run.measures is not None
    fakes, real = torch.tensor(run.predictions[7]), data.real
    apart = [(fakes.mean(0) - real.mean(0)), (fakes.std(0) - real.std(0))]
    assert run.measures[7] == pytest.approx(sum((d**2).sum().item() for d in apart) ** 0.5, rel=1e-5)


def test_an_optimizer_that_is_held_but_not_stepped_uses_nothing() -> None:
    both, lone = cost(FEW, False), cost(FEW.choosing("updates", "discriminator"), False)
    assert both.unused == ()
    assert len(lone.unused) == 4


@backs("gan.summary", "A generator learns to make points")
def test_the_fakes_come_nearer_to_the_data() -> None:
    ends = []
    for seed in range(5):
        measures = train(Settings("gan", seed=seed)).detached.measures
        assert measures is not None
        ends.append(median(measures[-40:]) / measures[0])
    assert median(ends) < 0.5
