"""What a verdict says besides its word."""

import math
import re
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
import torch

from engine import Settings, train
from engine.evidence.verdicts import apart, better, ends, judge, rounding, within_rounding
from engine.experiments import Measure
from engine.settings import NOWHERE
from engine.twins.experiment_script import script_of
from tests.claims import backs


@pytest.mark.parametrize(
    ("settings", "end"),
    [
        (
            Settings("td_target"),
            "In this run the distance from the true values, where lower is better, ends lower with the detach.",
        ),
        (
            Settings("simsiam", epochs=60),
            "In this run the spread of the embeddings, where higher is better, ends higher with the detach.",
        ),
        (Settings("straight_through"), "In this run the loss ends lower with the detach."),
        (Settings("classifier"), "In this run the loss ends lower without the detach."),
    ],
    ids=["lower measure", "higher measure", "loss", "loss without"],
)
def test_the_better_end_is_named(settings: Settings, end: str) -> None:
    assert judge(train(settings)).sentence.endswith(end)


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_of_two_collapses_the_slower_one_is_not_called_better(optimizer: str) -> None:
    settings = Settings("simsiam", epochs=60, optimizer=optimizer, learning_rate=0.1)
    trace = train(settings.choosing("predictor", "false"))
    for run in trace.runs:
        assert run.measures is not None
        assert run.measures[-1] < 0.9 * run.measures[0]
    sentence = judge(trace).sentence
    assert "In this run" not in sentence
    if optimizer == "sgd":
        assert better(ends(trace), trace.settings.described().measure) == "with"
        assert sentence.endswith("where higher is better, ends lower than it began in both.")


@pytest.mark.parametrize(
    ("pair", "good", "which"),
    [
        ((1.0, 2.0), "up", "with"),
        ((1.0, 2.0), "down", "without"),
        ((1.0, 1.0005), "up", "neither"),
        ((math.nan, 3.0), "down", "with"),
        ((3.0, math.inf), "up", "without"),
        ((math.nan, math.nan), "up", "neither"),
        ((0.0, 0.0), "down", "neither"),
        ((-0.9, -0.5), "up", "with"),
    ],
)
def test_the_better_of_two_ends(pair: tuple[float, float], good: Literal["up", "down"], which: str) -> None:
    assert better(pair, Measure("a measure", good)) == which
    assert good == "up" or better(pair, None) == which


COMMITMENT = Settings("vq_codebook", detach="commitment")


@backs("verdict", "no difference beyond rounding")
@backs("vq_codebook.story", "The commitment's detach makes next to no")
def test_weights_that_rounding_could_have_parted_get_a_verdict_of_their_own() -> None:
    """Adam takes the same step for a gradient that is a quarter larger throughout, but for its eps of 1e-8."""
    trace = train(COMMITMENT)
    assert trace.attached.weights.tobytes() != trace.detached.weights.tobytes()
    assert 0 < 4 * apart(*trace.runs) < rounding(*trace.runs) < 1e-4
    verdict = judge(trace)
    assert verdict.kind == "no difference beyond rounding"
    assert re.match(
        r"After every epoch the weights of the twins differ by less than 1e-\d\. ", verdict.sentence
    )


@backs("verdict", "diverges")
@pytest.mark.parametrize(
    "settings",
    [
        Settings("truncated_bptt", epochs=60, optimizer="sgd", learning_rate=1.0).choosing(
            "retain_graph", "true"
        ),
        Settings("straight_through", epochs=20, optimizer="sgd", learning_rate=0.8),
        Settings("kept_losses", epochs=60, optimizer="sgd", learning_rate=1.0),
        Settings("optimizer_trap", epochs=60, optimizer="sgd", learning_rate=1.0),
    ],
    ids=lambda settings: settings.experiment,
)
def test_what_ends_in_numbers_that_are_not_finite_diverges(settings: Settings) -> None:
    trace = train(settings)
    verdict = judge(trace)
    assert verdict.kind == "diverges"
    for run, name in zip(trace.runs, ("Without the detach", "With it"), strict=True):
        finite = all(map(math.isfinite, run.losses))
        assert (
            f"{name}, the {'loss goes from' if finite else 'training diverges: in epoch'}" in verdict.sentence
        )


def test_a_last_step_that_leaves_no_finite_weights_diverges_too() -> None:
    trace = train(Settings("classifier", epochs=2))
    weights = trace.detached.weights.copy()
    weights[-1] = math.inf
    verdict = judge(replace(trace, detached=replace(trace.detached, weights=weights)))
    assert verdict.kind == "diverges"
    assert verdict.sentence.endswith(
        "With it, the training diverges: after the last epoch a weight is no finite number."
    )


@backs("verdict", "learns something else")
@backs("vq_codebook.story", "The commitment's detach makes next to no")
@pytest.mark.parametrize(
    "settings",
    [
        COMMITMENT.changed(optimizer="sgd", learning_rate=0.1),
        COMMITMENT.changed(detach="codebook"),
        COMMITMENT.changed(detach="straight_through"),
        Settings("td_target"),
        Settings("classifier"),
        Settings("optimizer_trap"),
        Settings("straight_through"),
        Settings("simsiam", epochs=60),
        Settings("gan", epochs=60).choosing("clearing", "at-the-top"),
    ],
    ids=str,
)
def test_what_learns_something_else_does_so_far_beyond_rounding(settings: Settings) -> None:
    trace = train(settings)
    assert apart(*trace.runs) > 30 * rounding(*trace.runs)
    assert judge(trace).kind == "learns something else"


@backs("verdict", "ends alike")
def test_other_weights_with_the_same_result_get_a_verdict_of_their_own() -> None:
    """Without the predictor the detach halves the gradient, which Adam makes nearly the same step of."""
    trace = train(Settings("simsiam").choosing("predictor", "false"))
    assert apart(*trace.runs) > rounding(*trace.runs)
    for ends_of in zip(*((run.losses[-1], *(run.measures or ())[-1:]) for run in trace.runs), strict=True):
        assert ends_of[0] == pytest.approx(ends_of[1], rel=1e-3)
    verdict = judge(trace)
    assert verdict.kind == "ends alike"
    assert verdict.sentence.endswith("where higher is better, ends lower than it began in both.")


def test_the_same_training_computed_in_two_ways_stays_within_the_bound() -> None:
    """Autograd beside the closed form of the lesson's gradient, both in float32 and by plain descent."""
    settings = Settings(optimizer="sgd", learning_rate=0.001, epochs=300)
    run = train(settings).attached
    data = script_of(settings).make_data(0)
    weight, bias = (torch.tensor(run.parameter(f"linear.{name}", 1)) for name in ("weight", "bias"))
    rows = []
    for _ in range(settings.epochs + 1):
        rows.append(torch.cat([weight.flatten(), bias]).numpy())
        away = (data.inputs @ weight.T + bias - data.targets) / 4
        weight, bias = weight - 0.001 * (away.T @ data.inputs), bias - 0.001 * away.sum(dim=0)
    other = replace(run, weights=np.stack(rows))
    assert run.weights.tobytes() != other.weights.tobytes()
    assert within_rounding(run, other)
    assert not within_rounding(run, replace(run, weights=run.weights * np.float32(1.001)))


def test_a_layer_that_never_moves_in_one_twin_alone_is_a_difference_at_any_size() -> None:
    run = train(Settings(epochs=5)).attached
    still = replace(run, weights=np.repeat(run.weights[:1], 6, axis=0))
    barely = still.weights.copy()
    barely[1:, 0] = np.nextafter(barely[1:, 0], np.float32(1))
    assert apart(still, replace(run, weights=barely)) < rounding(still, still)
    assert not within_rounding(still, replace(run, weights=barely))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings("kept_losses", NOWHERE), "The graphs kept alive grow: by 7 autograd nodes and 4,544 bytes"),
        (Settings("truncated_bptt", NOWHERE), "`backward()` raises: “Trying to backward through the graph"),
        (Settings("lesson", NOWHERE), "The loss goes from 0.8523 to 0.1516."),
    ],
    ids=["leak", "error", "plain"],
)
def test_without_a_detach_the_one_run_speaks_for_itself(settings: Settings, said: str) -> None:
    verdict = judge(train(settings))
    assert verdict.kind == "no difference"
    assert verdict.sentence.startswith("The detach stands nowhere, so both twins are the same run.")
    assert said in verdict.sentence
