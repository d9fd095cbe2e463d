"""What a verdict says besides its word."""

import pytest

from engine import Settings, train
from engine.evidence.verdicts import judge
from engine.settings import NOWHERE
from engine.text import number_text


@pytest.mark.parametrize(
    ("settings", "end"),
    [
        (Settings("td_target"), "where lower is better, the better end is the one with the detach."),
        (
            Settings("simsiam", epochs=60),
            "where higher is better, the better end is the one with the detach.",
        ),
        (Settings("straight_through"), "The loss ends lower with the detach."),
        (Settings("classifier"), "The loss ends lower without the detach."),
    ],
    ids=["lower measure", "higher measure", "loss", "loss without"],
)
def test_the_better_end_is_named(settings: Settings, end: str) -> None:
    assert judge(train(settings)).sentence.endswith(end)


def test_no_end_is_called_better_where_the_printed_ones_are_the_same() -> None:
    settings = Settings("simsiam", epochs=150).choosing("predictor", "false")
    trace = train(settings)
    ends = [run.measures[-1] for run in trace.runs if run.measures is not None]
    assert number_text(ends[0]) == number_text(ends[1])
    assert "better" not in judge(trace).sentence


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
