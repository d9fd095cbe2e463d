"""A replay gives the numbers of a recorded step, bit for bit, and is not used where it does not."""

import numpy as np
import pytest
import torch

from engine import Settings
from engine.experiments import experiment_names
from engine.twins import film as made_by
from engine.twins.film import film
from engine.twins.recorded_step import record
from engine.twins.replay import Kept, Replay, Start, matched, replay
from engine.twins.trace import Run, Trace
from engine.twins.training import train


@pytest.mark.parametrize("name", experiment_names())
def test_a_replay_gives_what_is_recorded(name: str) -> None:
    settings = Settings(name, epochs=4)
    trace = train(settings)
    for run in trace.runs:
        for epoch in (1, 3):
            step = record(
                settings,
                epoch=epoch,
                detached=run.detached,
                weights="detached" if run.detached else "attached",
                trace=trace,
            )
            again = replay(trace, run, epoch, Start.of(settings))
            calls = matched(step.stages, again.calls)
            if step.raised is not None:
                continue  # where a step raises in the middle, what came back before is the recording's to say
            if any(stage.operation == "CheckpointFunction" for stage in step.stages):
                assert calls is None  # what it does is one call in a recording: the film records it
                continue
            assert calls is not None
            for stage, call in zip(step.stages, calls, strict=True):
                if call is None:
                    assert stage.operation == "input"
                    continue
                assert stage.output.values is not None
                assert np.array_equal(call.values, stage.output.values, equal_nan=True)
                assert (call.gradient is None) == (stage.gradient is None)
                if call.gradient is not None and stage.gradient is not None:
                    assert np.array_equal(call.gradient.numpy(), stage.gradient, equal_nan=True)


@pytest.mark.parametrize("name", experiment_names())
def test_a_film_is_the_same_without_replays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = train(Settings(name, epochs=6))
    quick = film(trace)

    def wrong(trace: Trace, run: Run, epoch: int, start: Start) -> Replay:
        found = replay(trace, run, epoch, start)
        for call in found.calls:
            call.values = np.add(call.values, 1)
        return found

    monkeypatch.setattr(made_by, "replay", wrong)  # which is noticed, so nothing is replayed
    slow = film(trace)
    for one, other in zip(quick.reels, slow.reels, strict=True):
        buffers = np.zeros(one.numbers.shape[1], dtype=bool)
        for strip, stage in zip(one.strips.stages, one.record.stages, strict=True):
            buffers[strip.start : strip.start + strip.width] = (
                stage.operation == "input" and "." in stage.output.name
            )
        assert np.array_equal(one.numbers[:, ~buffers], other.numbers[:, ~buffers], equal_nan=True)
        assert one.as_described == other.as_described


def test_a_replay_leaves_no_hook_behind() -> None:
    settings = Settings("gan", epochs=2)
    trace, start = train(settings), Start.of(settings)
    replay(trace, trace.attached, 1, start)
    assert not any(parameter._backward_hooks for parameter in start.model.parameters())


def test_calls_that_are_not_found_are_no_match() -> None:
    step = record(Settings(epochs=1))
    assert matched(step.stages, []) is None
    one = Kept("linear", torch.zeros(4, 2), np.zeros((4, 2), np.float32), ())
    assert matched(step.stages, [one]) is None
