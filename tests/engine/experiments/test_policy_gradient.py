"""What the policy gradient's story says, against enumerations of all actions and closed forms."""

import warnings

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from engine import Settings, train
from engine.evidence.verdicts import judge
from engine.experiments.policy_gradient import VALUE_WEIGHT, Data
from engine.settings import NOWHERE
from engine.twins.experiment_script import script_of
from engine.twins.trace import Run, Trace
from engine.twins.training import start_model
from tests.claims import backs

SEEDS = range(16)
DEFAULT = Settings("policy_gradient")
REINFORCE = DEFAULT.choosing("objective", "log_prob")
OBJECTIVES = {"ratio": DEFAULT, "log_prob": REINFORCE}
TRAINED = range(8)


@pytest.fixture(scope="module")
def traces() -> dict[str, list[Trace]]:
    """Whole runs, by objective."""
    return {
        name: [train(settings.changed(seed=seed)) for seed in TRAINED]
        for name, settings in OBJECTIVES.items()
    }


def data_of(seed: int) -> Data:
    data: Data = script_of(DEFAULT).make_data(seed)
    return data


def gradients(settings: Settings, detached: bool, epoch: int = 1) -> dict[str, Tensor | None]:
    """What one step brings to the tables of the start, situations x actions and situations x 1."""
    model, script = start_model(settings), script_of(settings)
    script.tell(model, epoch)
    script.step(detached)(model, script.make_data(settings.seed))[0].backward()
    return {
        name: None if layer.weight.grad is None else layer.weight.grad.T
        for name, layer in model.named_children()
        if isinstance(layer, nn.Linear)
    }


def drawn(settings: Settings, epoch: int = 1) -> tuple[Tensor, Tensor]:
    """The actions (16) that the step draws, by the same chances, and their rewards."""
    data = data_of(settings.seed)
    scores = start_model(settings).get_parameter("policy.weight").T[data.situations]
    actions = (scores + data.chances[epoch - 1]).argmax(dim=1)
    return actions, data.rewards[epoch - 1][range(16), actions]


def probabilities(run: Run) -> Tensor:
    """situations x actions, at the end of a run."""
    table = run.parameter("policy.weight", len(run.losses) + 1)
    return torch.tensor(table).double().T.softmax(dim=1)


def values(run: Run) -> Tensor:
    return torch.tensor(run.parameter("value.weight", len(run.losses) + 1)).double().squeeze(0)


def entropy(chances: Tensor) -> Tensor:
    found: Tensor = torch.special.entr(chances).sum(dim=1)
    return found


def enumerated(scores: Tensor, means: Tensor, baseline: Tensor) -> Tensor:
    """actions x scores: the gradient that each action of one situation would bring."""
    chances = scores.softmax(dim=0)
    score_function = torch.eye(len(scores), dtype=scores.dtype) - chances  # d log p(a) / d scores
    brought: Tensor = score_function * (means - baseline).unsqueeze(1)
    return brought


@backs("policy_gradient.summary", "A policy learns")
@backs("policy_gradient.story", "Drawing an action")
def test_the_largest_of_scores_and_noise_is_a_draw_from_the_policy_and_has_no_gradient() -> None:
    data = data_of(0)
    scores = torch.tensor([0.0, 1.0, -1.0, 0.5], requires_grad=True)
    actions = (scores + data.chances).argmax(dim=2)
    assert not actions.requires_grad
    shares, scores = one_hot(actions, 4).double().mean(dim=(0, 1)), scores.detach()
    assert torch.allclose(shares, scores.double().softmax(dim=0), atol=0.07)


@backs("policy_gradient.measure", "The highest possible")
def test_the_best_are_the_largest_of_the_mean_rewards_and_the_rewards_scatter_around_them() -> None:
    for seed in SEEDS:
        data = data_of(seed)
        assert torch.equal(data.best.squeeze(1), data.means.max(dim=1).values)
        assert data.means.min() >= 0
        assert data.means.max() <= 2
        assert (data.rewards - data.means[data.situations]).mean().abs() < 0.05


@backs("policy_gradient.measure", "What the policy earns")
def test_the_measure_is_the_expected_reward_by_enumeration() -> None:
    for seed in range(3):
        run = train(DEFAULT.changed(seed=seed, epochs=20)).detached
        means, (measures, last) = data_of(seed).means, (run.measures, run.parameter("policy.weight", 20))
        chances = torch.tensor(last).T.softmax(dim=1)
        expected = sum(float(chances[s, a] * means[s, a]) for s in range(4) for a in range(4)) / 4
        assert measures is not None
        assert measures[-1] == pytest.approx(expected, abs=1e-5)


@backs("policy_gradient.measure", "The highest possible")
def test_only_a_policy_that_always_takes_the_best_actions_earns_the_mean_of_their_rewards() -> None:
    for seed in SEEDS:
        data, model, script = data_of(seed), start_model(DEFAULT), script_of(DEFAULT)
        assert script.measure is not None
        best, earned = data.means.argmax(dim=1), []
        for sharpness in (1.0, 10.0, 1000.0):
            with torch.no_grad():
                model.get_parameter("policy.weight").copy_(sharpness * one_hot(best, 4).T)
            earned.append(script.measure(model, data, data.best).item())
        assert earned[0] < earned[1] < earned[2]
        assert earned[2] == pytest.approx(float(data.best.mean()), abs=1e-6)


@backs("policy_gradient.summary", "A policy learns")
@backs(
    "policy_gradient.story",
    "Drawing an action",
    "The advantage is only",
    "The ratio of PPO",
    "Its value is one",
)
@pytest.mark.parametrize("settings", OBJECTIVES.values(), ids=OBJECTIVES)
def test_the_gradient_is_that_of_log_probability_times_advantage_written_by_hand(settings: Settings) -> None:
    """So the ratio of one has the gradient of the log-probability, where the old one is held still."""
    for seed in SEEDS:
        chosen = settings.changed(seed=seed)
        actions, rewards = drawn(chosen)
        model, situations = start_model(chosen), data_of(seed).situations
        chances = model.get_parameter("policy.weight").detach().T.softmax(dim=1)[situations]
        value = model.get_parameter("value.weight").detach()[0][situations]
        each = (one_hot(actions, 4) - chances) * (rewards - value).unsqueeze(1)
        policy = torch.zeros(4, 4).index_add(0, situations, -each / 16)
        error = torch.zeros(4).index_add(0, situations, 2 * VALUE_WEIGHT * (value - rewards) / 16)
        found = gradients(chosen, detached=True)
        assert found["policy"] is not None
        assert found["value"] is not None
        assert torch.allclose(found["policy"], policy, atol=1e-6)
        assert torch.allclose(found["value"].squeeze(1), error, atol=1e-6)


@backs("policy_gradient.story", "The ratio of PPO", "Its value is one")
def test_the_ratio_is_one_whatever_the_policy_where_the_old_one_is_not_detached() -> None:
    for seed in SEEDS:
        found = gradients(DEFAULT.changed(seed=seed, detach="old"), detached=False)
        assert found["policy"] is not None
        assert not found["policy"].any()
        assert found["value"] is not None
        assert found["value"].any()
        for detached in (False, True):
            model, script = start_model(DEFAULT.changed(seed=seed)), script_of(DEFAULT.changed(detach="old"))
            script.tell(model, 1)
            _, rewards = drawn(DEFAULT.changed(seed=seed))
            off = rewards - model.get_parameter("value.weight").detach()[0][data_of(seed).situations]
            loss = script.step(detached)(model, script.make_data(seed))[0].item()
            of_one = VALUE_WEIGHT * off.square().mean() - off.mean()  # with a factor of one
            assert loss == pytest.approx(of_one.item(), abs=1e-5)
    trace = train(DEFAULT.changed(detach="old", epochs=20))
    assert trace.attached.never_moved == ("policy",)
    assert trace.attached.losses[0] == trace.detached.losses[0]


@backs("policy_gradient.summary", "A policy learns")
@backs("policy_gradient.story", "The third detach", "The value still")
def test_a_detached_log_probability_brings_the_policy_none_and_the_value_the_same() -> None:
    for settings in OBJECTIVES.values():
        for seed in SEEDS:
            chosen = settings.changed(seed=seed, detach="log_prob")
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                right, wrong = gradients(chosen, False), gradients(chosen, True)
            assert wrong["policy"] is None
            assert right["policy"] is not None
            assert right["policy"].any()
            assert right["value"] is not None
            assert wrong["value"] is not None
            assert torch.equal(right["value"], wrong["value"])


@backs("policy_gradient.story", "Drawing an action", "On average")
def test_the_mean_gradient_is_that_of_the_expected_reward_whatever_the_baseline() -> None:
    for seed in SEEDS:
        data = data_of(seed)
        table = start_model(DEFAULT.changed(seed=seed)).get_parameter("policy.weight").detach().double().T
        for scores, means in zip(table, data.means.double(), strict=True):
            chances, h = scores.softmax(dim=0), 1e-5
            for baseline in (0.0, float(chances @ means), -3.0):
                mean = chances @ enumerated(scores, means, torch.tensor(baseline))
                step = h * torch.eye(4, dtype=torch.float64)
                up, down = ((scores + sign * step).softmax(dim=1) @ means for sign in (1, -1))
                assert torch.allclose(mean, (up - down) / (2 * h), atol=1e-8)


@backs("policy_gradient.story", "On average")
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_baseline_that_an_attached_advantage_leads_to_makes_the_gradient_noisier(objective: str) -> None:
    for seed in SEEDS:
        data = data_of(seed)
        table = start_model(DEFAULT.changed(seed=seed)).get_parameter("policy.weight").detach().double().T
        scatter = {"right": 0.0, "pulled": 0.0}
        for scores, means in zip(table, data.means.double(), strict=True):
            chances = scores.softmax(dim=0)
            right = chances @ means
            pull = -1.0 if objective == "ratio" else float(torch.special.entr(chances).sum())
            for name, baseline in (("right", right), ("pulled", right + pull / (2 * VALUE_WEIGHT))):
                each = enumerated(scores, means, baseline)
                scatter[name] += float(chances @ (each - chances @ each).square().sum(dim=1))
        assert scatter["pulled"] > 1.5 * scatter["right"]


@backs("policy_gradient.story", "Without it")
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_an_attached_advantage_adds_one_or_the_log_probability_to_the_gradient_of_the_value(
    objective: str,
) -> None:
    """Its mean is 1, or minus the entropy, so the value rests at 1 / (2 * weight) below or entropy / (2 * weight) above."""
    for seed in SEEDS:
        settings = OBJECTIVES[objective].changed(seed=seed)
        actions, _ = drawn(settings)
        situations = data_of(seed).situations
        table = start_model(settings).get_parameter("policy.weight").detach().T.log_softmax(dim=1)
        factor = torch.ones(16) if objective == "ratio" else table[situations, actions]
        without, with_ = (gradients(settings, detached)["value"] for detached in (False, True))
        assert without is not None
        assert with_ is not None
        pull = torch.zeros(4).index_add(0, situations, factor / 16)
        assert torch.allclose((without - with_).squeeze(1), pull, atol=1e-6)


@backs("policy_gradient.story", "Without it")
def test_without_the_detach_the_values_end_far_below_with_the_ratio_and_above_with_the_log_probability(
    traces: dict[str, list[Trace]],
) -> None:
    for objective, runs in traces.items():
        for trace in runs:
            means = data_of(trace.settings.seed).means.double()
            off = [
                float((values(run) - (probabilities(run) * means).sum(dim=1)).mean()) for run in trace.runs
            ]
            assert abs(off[1]) < 0.15
            if objective == "ratio":
                assert off[0] == pytest.approx(-1 / (2 * VALUE_WEIGHT), abs=0.25)
            else:
                resting = float(entropy(probabilities(trace.attached)).mean()) / (2 * VALUE_WEIGHT)
                assert off[0] == pytest.approx(resting, abs=0.25)
                assert off[0] > 0.15


@backs("policy_gradient.summary", "A policy learns")
def test_with_the_detach_the_policy_ends_with_more_reward_on_every_seed(
    traces: dict[str, list[Trace]],
) -> None:
    for trace in traces["ratio"]:
        ends = [run.measures[-1] for run in trace.runs if run.measures]
        best = float(data_of(trace.settings.seed).best.mean())
        assert ends[0] < ends[1] - 0.005
        assert 0.93 * best < ends[1] < best


def test_both_objectives_start_alike_and_only_the_right_detaches_stand() -> None:
    for place, right in (("advantage", 2), ("old", 2), ("log_prob", 3)):
        text = script_of(DEFAULT.changed(detach=place)).text
        with_, without = text.split("def step_with_detach"), text.split("def step_without_detach")
        assert with_[1].count(".detach()") == right
        assert without[1].split("def step_with_detach")[0].count(".detach()") == right - 1
    assert ".detach()" not in script_of(DEFAULT.changed(detach=NOWHERE)).text


@backs("policy_gradient.story", "The value still")
def test_the_verdicts() -> None:
    for seed in range(3):
        for place in ("advantage", "old", "log_prob"):
            verdict = judge(train(DEFAULT.changed(seed=seed, detach=place, epochs=30)))
            assert verdict.kind == "learns something else"
            without, _, with_ = verdict.sentence.partition("With it")
            assert ("`policy` never moves" in without) == (place == "old")
            assert ("`policy` never moves" in with_) == (place == "log_prob")
    nothing = DEFAULT.choosing("baseline", "none").changed(epochs=30)
    assert judge(train(nothing)).kind == "no difference"
    raised = judge(train(nothing.changed(detach="log_prob")))
    assert raised.kind == "error"
    assert "With it, `backward()` raises" in raised.sentence
