"""What the TD target's story says, over 24 seeds, against the closed forms of both resting points."""

from fractions import Fraction

import pytest
import torch
from torch import Tensor

from engine import Settings, train
from engine.evidence.verdicts import judge
from engine.experiments.td_target import Data
from engine.twins.experiment_script import script_of
from engine.twins.trace import Trace
from engine.twins.training import start_model
from tests.claims import backs

SEEDS = range(24)
DEFAULT = Settings("td_target")
DETERMINISTIC = DEFAULT.choosing("chain", "deterministic")
GAMMA = 0.8
EYE = torch.eye(5, dtype=torch.float64)


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    return [train(DEFAULT.changed(seed=seed, epochs=30)) for seed in SEEDS]


def data_of(seed: int, settings: Settings = DEFAULT) -> Data:
    data: Data = script_of(settings).make_data(seed)
    return data


def exact_values(climb: Fraction) -> Tensor:
    """The true values: each is a + b * (value of the lowest rung), from the top down."""
    gamma = Fraction(4, 5)
    rungs = [(Fraction(1), gamma)]
    for _ in range(4):
        a, b = rungs[0]
        rungs.insert(0, (gamma * climb * a, gamma * (climb * b + 1 - climb)))
    lowest = rungs[0][0] / (1 - rungs[0][1])
    return torch.tensor([float(a + b * lowest) for a, b in rungs], dtype=torch.float64)


def differences(data: Data) -> Tensor:
    """500 x 5: what the TD error takes of each value."""
    return EYE[data.states] - GAMMA * EYE[data.next_states]


def semi_gradient_point(data: Data) -> Tensor:
    """The values of the chain whose chances are the shares that were seen."""
    seen = torch.stack([EYE[data.next_states[data.states == state]].mean(dim=0) for state in range(5)])
    reward = torch.stack([data.rewards[data.states == state].double().mean(dim=0) for state in range(5)])
    solved: Tensor = torch.linalg.solve(EYE - GAMMA * seen, reward)
    return solved.squeeze(1)


def residual_point(data: Data) -> Tensor:
    """The values with the least mean squared TD error."""
    solved: Tensor = torch.linalg.lstsq(differences(data), data.rewards.double()).solution
    return solved.squeeze(1)


def points(data: Data) -> tuple[Tensor, Tensor]:
    """Where the twins come to rest, the one without the detach first."""
    return residual_point(data), semi_gradient_point(data)


def one_step(data: Data, detached: bool) -> Tensor:
    """5 x 5: what a step of the default rate makes of the distance from the resting point."""
    moved = EYE[data.states] if detached else differences(data)
    return EYE - DEFAULT.learning_rate * 2 * moved.T @ differences(data) / 500


def path(settings: Settings, detached: bool) -> Tensor:
    """(epochs + 1) x 5: the values at the start of each epoch and after the last, from the closed form."""
    data = data_of(settings.seed, settings)
    point, step = points(data)[detached], one_step(data, detached)
    rows = [start_model(settings).get_parameter("value.weight").detach().double().squeeze(0)]
    for _ in range(settings.epochs):
        rows.append(point + step @ (rows[-1] - point))
    return torch.stack(rows)


def far(values: Tensor, settings: Settings = DEFAULT) -> Tensor:
    """The distance of each row from the true values."""
    true = exact_values(Fraction(1) if settings.option("chain") == "deterministic" else Fraction(1, 2))
    return (values - true).square().mean(dim=1).sqrt()


def rms(tensor: Tensor) -> float:
    return tensor.square().mean().sqrt().item()


@backs("td_target.measure", "The chain is a ladder")
def test_the_true_values_are_those_of_exact_fractions() -> None:
    for chain, climb in (("stochastic", Fraction(1, 2)), ("deterministic", Fraction(1))):
        data = script_of(DEFAULT.choosing("chain", chain)).make_data(0)
        assert data.values.squeeze(1).tolist() == pytest.approx(exact_values(climb).tolist(), abs=1e-6)


@backs("td_target.measure", "The distance is the root")
def test_the_measure_is_the_distance_from_them(traces: list[Trace]) -> None:
    for trace in traces:
        for run in trace.runs:
            assert run.measures is not None
            values = torch.from_numpy(run.weights[:-1].copy()).double()
            assert list(run.measures) == pytest.approx(far(values).tolist(), abs=1e-6)


def test_each_twin_goes_the_way_of_the_closed_form(traces: list[Trace]) -> None:
    """So the closed form may speak for the long run below."""
    for trace in (*traces, train(DEFAULT), train(DETERMINISTIC)):
        for run in trace.runs:
            values = torch.from_numpy(run.weights.copy()).double()
            assert torch.allclose(values, path(trace.settings, run.detached), atol=1e-5)


def test_each_twin_comes_to_rest_at_its_own_point() -> None:
    for seed in SEEDS:
        data = data_of(seed)
        residual, semi = points(data)
        assert rms(semi - residual) > 0.1
        for detached, point in enumerate((residual, semi)):
            assert torch.linalg.eigvals(one_step(data, bool(detached))).abs().max() < 0.995
            rest = path(DEFAULT.changed(seed=seed, epochs=500), bool(detached))[-1]
            assert rms(rest - point) < 0.02


@backs("td_target.story", "Without it the gradient also pulls")
def test_with_the_detach_the_values_end_nearer_to_the_true_ones() -> None:
    ends = [
        tuple(far(path(DEFAULT.changed(seed=seed), detached))[-1].item() for detached in (False, True))
        for seed in SEEDS
    ]
    assert all(with_ < 0.6 * without for without, with_ in ends)
    without, with_ = (torch.tensor(column).median().item() for column in zip(*ends, strict=True))
    assert with_ < without / 4


@backs("td_target.story", "Without it the gradient also pulls")
def test_without_it_the_loss_is_lower() -> None:
    for seed in SEEDS:
        data = data_of(seed)
        without, with_ = (
            rms(
                differences(data) @ path(DEFAULT.changed(seed=seed), d)[-1] - data.rewards.double().squeeze(1)
            )
            for d in (False, True)
        )
        assert without < 0.95 * with_


@backs("td_target.summary", "The value of each rung")
@backs(
    "td_target.story",
    "It moves toward a target",
    "The detach makes that",
    "Without it the gradient also pulls",
)
def test_the_gradients_are_those_of_the_closed_forms_and_two_directions() -> None:
    cosines = []
    for seed in SEEDS:
        data = data_of(seed)
        gradients = []
        for detached in (False, True):
            model = start_model(DEFAULT.changed(seed=seed))
            script_of(DEFAULT).step(detached)(model, data)[0].backward()
            weight = next(model.parameters())
            assert weight.grad is not None
            error = differences(data) @ weight.detach().double().T - data.rewards.double()
            moved = EYE[data.states] if detached else differences(data)
            assert torch.allclose(weight.grad.double(), 2 * (moved.T @ error).T / 500, atol=1e-6)
            gradients.append(weight.grad)
        cosines.append(torch.cosine_similarity(gradients[0], gradients[1]).item())
    assert max(cosines) < 0.95
    assert 0.6 < torch.tensor(cosines).median().item() < 0.9


def test_at_the_true_values_only_the_residual_gradient_goes_on_pulling() -> None:
    ratios = []
    for seed in SEEDS:
        data, sizes = data_of(seed), []
        for detached in (False, True):
            model = start_model(DEFAULT.changed(seed=seed))
            weight = next(model.parameters())
            weight.data = data.values.T.clone()
            script_of(DEFAULT).step(detached)(model, data)[0].backward()
            assert weight.grad is not None
            sizes.append(weight.grad.norm().item())
        ratios.append(sizes[0] / sizes[1])
    assert min(ratios) > 1.5
    assert torch.tensor(ratios).median().item() > 5


def test_two_independent_next_states_take_the_bias_out() -> None:
    """The mean of (gradient of one error) x (the other error) has its zero near the true values."""
    true, gains = exact_values(Fraction(1, 2)), []
    for seed in SEEDS:
        data, other = data_of(seed), data_of(5_000 + seed)
        assert torch.equal(data.states, other.states)
        one, two = differences(data), differences(other)
        found = torch.linalg.solve(two.T @ one + one.T @ two, (one + two).T @ data.rewards.double())
        gains.append(rms(residual_point(data) - true) / rms(found.squeeze(1) - true))
    assert torch.tensor(gains).median().item() > 3
    assert sum(gain > 1 for gain in gains) >= 22


@backs("td_target.story", "Where every state has just one")
def test_with_one_next_state_both_end_at_the_true_values_at_different_speed() -> None:
    for seed in SEEDS:
        settings = DETERMINISTIC.changed(seed=seed)
        without, with_ = (far(path(settings, detached), settings) for detached in (False, True))
        assert max(without[-1].item(), with_[-1].item()) < 0.02
        assert (with_ > 0.1).sum() < (without > 0.1).sum() / 1.5


def test_the_verdict_is_that_it_learns_something_else() -> None:
    for seed in range(3):
        for chain in ("stochastic", "deterministic"):
            found = judge(train(DEFAULT.choosing("chain", chain).changed(seed=seed, epochs=20)))
            assert found.kind == "learns something else"
            assert "the distance from the true values from" in found.sentence


@backs("td_target.story", "Where chance decides on s'")
def test_where_chance_decides_the_values_are_drawn_together_and_the_targets_scatter_less() -> None:
    for seed in SEEDS:
        data = data_of(seed)
        values = [path(DEFAULT.changed(seed=seed), detached)[-1] for detached in (False, True)]
        scatter = [
            sum((0.8 * one[data.next_states[data.states == state]]).var().item() for state in range(4))
            for one in values
        ]
        assert 0 < scatter[0] < 0.9 * scatter[1]
        assert values[0].std() < 0.95 * values[1].std()
        assert values[0].std() < 0.95 * data.values.std()
