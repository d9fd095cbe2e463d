"""What the VQ codebook's story and verdicts say, held against the formulas written out here."""

from collections import Counter
from math import exp, log

import pytest
import torch
from torch import Tensor, nn

from engine import Settings, Trace, train
from engine.evidence.loss_summands import Summand, summands
from engine.evidence.verdicts import judge
from engine.settings import NOWHERE
from engine.twins.experiment_script import script_of
from engine.twins.training import start_model
from tests.claims import backs

SEEDS = range(20)
BETA = 0.25
USUAL = Settings("vq_codebook", epochs=60, learning_rate=0.04)  # twice the usual rate, half the epochs
WRONG = USUAL.choosing("side", "wrong").changed(detach="codebook", epochs=12)
PARTS = ("encoder", "codebook", "decoder")


def moved(summand: Summand) -> tuple[str, ...]:
    """The modules that a summand moves."""
    return tuple(module for module, norm in summand.gradients.items() if norm)


@pytest.fixture(scope="module")
def usual() -> list[Trace]:
    return [train(USUAL.changed(seed=seed)) for seed in SEEDS]


@pytest.fixture(scope="module")
def wrong() -> list[Trace]:
    return [train(WRONG.changed(seed=seed)) for seed in SEEDS]


def start(seed: int) -> tuple[nn.Module, Tensor]:
    settings = USUAL.changed(seed=seed)
    return start_model(settings), script_of(settings).make_data(seed).inputs


def mlp(model: nn.Module, part: str, x: Tensor) -> Tensor:
    w_1, b_1, w_2, b_2 = model.get_submodule(part).parameters()
    return (x @ w_1.T + b_1).tanh() @ w_2.T + b_2


def nearest(z: Tensor, codes: Tensor) -> Tensor:
    return (z[:, None] - codes[None]).square().sum(dim=2).argmin(dim=1)


def plain_terms(seed: int, held: set[str], side: str) -> list[dict[str, float | None]]:
    """For each term the norm of the gradient of each part, None where none comes."""
    model, x = start(seed)
    codes = model.get_parameter("codebook.weight")

    def stop(tensor: Tensor, place: str) -> Tensor:
        return tensor.detach() if place in held else tensor

    z = mlp(model, "encoder", x)
    e = codes[nearest(z, codes)]
    prediction = mlp(model, "decoder", z + stop(e - z, "straight_through"))
    pulled = e - stop(z, "codebook") if side == "right" else z - stop(e, "codebook")
    each = (
        (prediction - x).square().mean(),
        pulled.square().mean(),
        BETA * (z - stop(e, "commitment")).square().mean(),
    )
    table = []
    for term in each:
        row: dict[str, float | None] = {}
        for part in PARTS:
            parameters = list(model.get_submodule(part).parameters())
            came = torch.autograd.grad(term, parameters, retain_graph=True, allow_unused=True)
            flat = [g.flatten() for g in came if g is not None]
            row[part] = torch.cat(flat).norm().item() if flat else None
        table.append(row)
    return table


MOVES = {
    (None, "right"): (("encoder", "decoder"), ("codebook",), ("encoder",)),
    (None, "wrong"): (("encoder", "decoder"), ("encoder",), ("encoder",)),
    ("straight_through", "right"): (("codebook", "decoder"), ("codebook",), ("encoder",)),
    ("codebook", "right"): (("encoder", "decoder"), ("encoder", "codebook"), ("encoder",)),
    ("commitment", "right"): (("encoder", "decoder"), ("codebook",), ("encoder", "codebook")),
}
"""By the detach that is missing and the side of the codebook term's: what each of the three terms moves."""


@backs("vq_codebook.summary", "An autoencoder passes on")
@backs(
    "vq_codebook.story",
    "Choosing has no derivative",
    "In the codebook term",
    "In the commitment term",
    "Take one detach away",
)
@pytest.mark.parametrize(("missing", "side"), MOVES)
def test_who_is_moved_by_which_term_is_as_in_plain_torch(missing: str | None, side: str) -> None:
    held = {place for place in ("straight_through", "codebook", "commitment") if place != missing}
    for seed in SEEDS:
        settings = USUAL.choosing("side", side).changed(detach=missing or "commitment", seed=seed)
        found = summands(settings, detached=missing is None)
        assert tuple(moved(term) for term in found) == MOVES[missing, side]
        for term, expected in zip(found, plain_terms(seed, held, side), strict=True):
            for part, norm in expected.items():
                assert term.gradients[part] == (None if norm is None else pytest.approx(norm, rel=1e-3))


def test_without_the_copys_detach_what_reaches_the_encoder_cancels_to_zero() -> None:
    for seed in SEEDS:
        assert summands(USUAL.changed(seed=seed), False)[0].gradients["encoder"] == 0.0


def test_a_loss_of_one_term_and_a_step_with_optimizers_of_its_own() -> None:
    (only,) = summands(Settings("lesson"), False)
    assert moved(only) == ("linear",)
    (cut,) = summands(Settings("lesson"), True)
    assert cut.gradients == {"linear": None}
    with pytest.raises(ValueError, match="frozen_backbone"):
        summands(Settings("frozen_backbone"), True)


def codebook_gradient(settings: Settings, detached: bool) -> Tensor:
    model, script = start_model(settings), script_of(settings)
    loss, _ = script.step(detached)(model, script.make_data(settings.seed))
    loss.backward()
    gradient = model.get_parameter("codebook.weight").grad
    assert gradient is not None
    return gradient


def test_the_codes_gradient_is_that_of_the_mean_square_and_a_quarter_more_without_the_commitments_detach() -> (
    None
):
    for seed in SEEDS:
        model, x = start(seed)
        with torch.no_grad():
            z, codes = mlp(model, "encoder", x), model.get_parameter("codebook.weight")
            pull = torch.zeros_like(codes)
            for row, code in zip(z, nearest(z, codes), strict=True):
                pull[code] += 2 * (codes[code] - row) / z.numel()
        settings = USUAL.changed(detach="commitment", seed=seed)
        torch.testing.assert_close(codebook_gradient(settings, True), pull, rtol=1e-4, atol=1e-6)
        torch.testing.assert_close(
            codebook_gradient(settings, False), (1 + BETA) * pull, rtol=1e-4, atol=1e-6
        )


def test_adam_hardly_notices_the_commitments_detach() -> None:
    for seed in SEEDS:
        one, other = train(USUAL.changed(detach="commitment", epochs=5, seed=seed)).runs
        assert one.weights.tobytes() != other.weights.tobytes()
        assert one.losses[-1] == pytest.approx(other.losses[-1], rel=1e-3)


def reconstruction(trace: Trace, detached: bool) -> float:
    inputs = script_of(trace.settings).make_data(trace.settings.seed).inputs
    return float((torch.tensor(trace.runs[detached].predictions[-1]) - inputs).square().mean())


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def test_without_the_copys_detach_it_reconstructs_worse_with_fewer_codes(usual: list[Trace]) -> None:
    errors = [(reconstruction(t, False), reconstruction(t, True)) for t in usual]
    assert sum(with_ < without for without, with_ in errors) >= 17
    assert median([without for without, _ in errors]) > 2 * median([with_ for _, with_ in errors])
    more = [
        t.detached.measures[-1] > t.attached.measures[-1]
        for t in usual
        if t.detached.measures and t.attached.measures
    ]
    assert len(more) == len(SEEDS)
    assert sum(more) >= 18


def test_detached_on_the_wrong_side_the_codes_stand_still_to_the_last_bit(wrong: list[Trace]) -> None:
    for trace in wrong:
        assert trace.detached.never_moved == ("codebook",)
        assert trace.attached.never_moved == ()


@backs("vq_codebook.measure", "The perplexity")
def test_the_measure_is_the_perplexity_of_the_codes_before_the_step(usual: list[Trace]) -> None:
    for trace in usual:
        for run in trace.runs:
            model, x = start(trace.settings.seed)
            with torch.no_grad():
                for name, parameter in model.named_parameters():
                    parameter.copy_(torch.tensor(run.parameter(name, trace.settings.epochs)))
                z = mlp(model, "encoder", x)
            used = Counter(nearest(z, model.get_parameter("codebook.weight")).tolist())
            shares = [count / len(x) for count in used.values()]
            assert run.measures is not None
            assert run.measures[-1] == pytest.approx(exp(-sum(s * log(s) for s in shares)), rel=1e-4)


def test_the_verdicts(usual: list[Trace], wrong: list[Trace]) -> None:
    for trace in usual[:3]:
        said = judge(trace)
        assert said.kind == "learns something else"
        assert said.sentence.count("the effective number of codes from") == 2
        assert said.sentence.endswith("where higher is better, ends higher with the detach.")
    assert "With it" in (said := judge(wrong[0])).sentence
    assert "; `codebook` never moves." in said.sentence
    assert judge(train(USUAL.changed(detach="codebook", epochs=5))).kind == "learns something else"
    assert judge(train(USUAL.changed(detach="commitment"))).kind == "no difference beyond rounding"
    assert judge(train(USUAL.changed(detach=NOWHERE, epochs=5))).kind == "no difference"


def test_the_codes_in_use_are_counted_before_the_step_that_the_loss_is_read_before(
    usual: list[Trace],
) -> None:
    for trace in usual[:3]:
        without, with_ = (run.measures for run in trace.runs)
        assert without is not None
        assert with_ is not None
        assert without[0] == with_[0]


@backs("vq_codebook.story", "Each point is replaced by the nearest")
def test_the_decoder_gets_the_nearest_code_of_each_point() -> None:
    for seed in SEEDS:
        model, x = start(seed)
        codes = model.get_parameter("codebook.weight")
        by_code = mlp(model, "decoder", codes[nearest(mlp(model, "encoder", x), codes)])
        _, prediction = script_of(USUAL).step(True)(model, script_of(USUAL).make_data(seed))
        torch.testing.assert_close(prediction, by_code, rtol=1e-4, atol=1e-5)


@backs("vq_codebook.story", "The copy's detach passes the reconstruction's gradient")
def test_the_reconstructions_gradient_at_the_encoder_is_that_at_the_code() -> None:
    for seed in SEEDS:
        model, x = start(seed)
        codes = model.get_parameter("codebook.weight")
        z = mlp(model, "encoder", x)
        e = codes[nearest(z, codes)].detach().requires_grad_()
        (at_the_code,) = torch.autograd.grad((mlp(model, "decoder", e) - x).square().mean(), e)
        handed_on = torch.autograd.grad(z, list(model.get_submodule("encoder").parameters()), at_the_code)
        expected = torch.cat([gradient.flatten() for gradient in handed_on]).norm().item()
        found = summands(USUAL.changed(seed=seed), True)[0].gradients["encoder"]
        assert found == pytest.approx(expected, rel=1e-3)


@backs("vq_codebook.measure", "At most 16, at least 1")
def test_the_measure_is_16_where_all_codes_are_used_alike_and_1_where_one_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, x = start(0)
    data = script_of(USUAL).make_data(0)
    for chosen, expected in ((torch.arange(80) % 16, 16.0), (torch.zeros(80, dtype=torch.long), 1.0)):
        monkeypatch.setattr(type(model), "codes", lambda self, z, chosen=chosen: chosen)
        found = script_of(USUAL).measure
        assert found is not None
        assert float(found(model, data, x)) == pytest.approx(expected, rel=1e-5)


@backs("vq_codebook.story", "The commitment's detach makes next to no")
def test_the_commitments_detach_hardly_shows_in_the_loss_under_adam_and_does_under_plain_descent() -> None:
    def apart(settings: Settings) -> float:
        without, with_ = (run.losses[-1] for run in train(settings).runs)
        return abs(without - with_) / with_

    for seed in range(4):
        usual = Settings("vq_codebook", detach="commitment", seed=seed)
        assert apart(usual) < 1e-3
        assert apart(usual.changed(optimizer="sgd", learning_rate=0.1)) > 1e-2
